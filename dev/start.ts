import { runSandbox } from './start/sandbox/run-sandbox.ts'

await runSandbox({
  name: 'start',
  does: 'Runs the gateway and everything it needs on this machine, until Ctrl-C.',
  environment: process.env,
})
