type Ready = { readonly url: string } | { readonly urls: Readonly<Record<string, string>> }

interface RunningServers {
  /** What whoever started the process is told: where the servers listen. */
  readonly ready: Ready
  readonly close: () => Promise<unknown>
}

/** How long a client that keeps its request open holds up the end. */
const patienceMs = 10_000

const addressesIn = (ready: Ready) => ('url' in ready ? [ready.url] : Object.values(ready.urls))

/** Runs servers of the sandbox as a process of its own, which ends with whoever started it. */
export const runServers = (name: string, start: () => Promise<RunningServers>) => {
  const starting = start()
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(0), patienceMs).unref()
    starting
      .then((servers) => servers.close())
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
    ({ ready }) => {
      if (process.send) process.send(ready)
      else process.stdout.write(`${name} listening at ${addressesIn(ready).join(', ')}\n`)
    },
    (error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`)
      process.exit(1)
    },
  )
}
