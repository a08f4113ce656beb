import { runSandbox } from './start/run-sandbox.ts'

await runSandbox(process.env)
