import { readCoreSettings } from './settings.ts'
import { startSandboxCore } from './start-core.ts'

const start = async () => startSandboxCore(readCoreSettings(process.env))
const starting = start()

let stopping = false
const stop = () => {
  if (stopping) return
  stopping = true
  // A client that keeps its request open for ever does not keep the process alive.
  setTimeout(() => process.exit(0), 10_000).unref()
  starting
    .then((core) => core.close())
    .then(
      () => process.exit(0),
      () => process.exit(1),
    )
}

process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// The channel to the process that started this one closes when that ends, however it ends.
process.on('disconnect', stop)

starting.then(
  ({ url }) => {
    if (process.send) process.send({ url })
    else process.stdout.write(`sandbox core listening at ${url}\n`)
  },
  (error: unknown) => {
    process.stderr.write(`sandbox core: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
