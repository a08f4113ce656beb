import { runSandbox } from './start/sandbox/run-sandbox.ts'

await runSandbox(process.env)
