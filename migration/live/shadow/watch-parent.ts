import { isMainThread, Worker } from 'node:worker_threads'

// Loaded by `--import` before a child process's module. A looping process never sees that its pipes were closed; this
// thread notices the parent's end, and ends the process with its connections.
const source = `
  const { workerData: parent } = require('node:worker_threads')
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, 500)
`

// Worker threads also load what `--import` names.
if (isMainThread) {
  new Worker(source, {
    eval: true,
    execArgv: [],
    env: {},
    // Not `ppid`, which is another process if the parent ended before this was loaded.
    workerData: Number(process.env.PARENT_PID),
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  }).unref()
  delete process.env.PARENT_PID
  // Worker threads are exempt from the permission model, so no more may start. Node 24 cannot drop permissions.
  process.permission?.drop?.('worker')
}
