import { isMainThread, Worker } from 'node:worker_threads'

// Loaded by `--import` before a child process's module. A process in an endless loop never notices that its pipes were
// closed. This thread notices that the parent has ended, and then ends the process and its connections.
const source = `
  const { workerData: parent } = require('node:worker_threads')
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, 500)
`

// Worker threads load the `--import` module too.
if (isMainThread) {
  new Worker(source, {
    eval: true,
    execArgv: [],
    env: {},
    // Not `ppid`: if the parent ended before this was loaded, `ppid` is already a different process.
    workerData: Number(process.env.PARENT_PID),
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  }).unref()
  delete process.env.PARENT_PID
  // The permission model does not apply to worker threads, so no more may start. Node 24 cannot drop permissions.
  process.permission?.drop?.('worker')
}
