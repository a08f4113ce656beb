import { isMainThread, Worker } from 'node:worker_threads'

// Loaded by `--import` before the module of a child process. The event loop of a process that loops does not see that
// its pipes were closed; this thread sees that the parent has ended, and ends the process with its connections.
const source = `
  const { workerData: parent } = require('node:worker_threads')
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, 500)
`

// Worker threads load what `--import` names as well.
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
  // The permission model does not apply in worker threads: no other may be started. Node 24 cannot drop permissions.
  process.permission?.drop?.('worker')
}
