import { runSandbox } from './start/sandbox/run-sandbox.ts'

await runSandbox({ name: 'start', environment: process.env })
