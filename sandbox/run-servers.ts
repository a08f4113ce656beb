type Ready = { readonly url: string } | { readonly urls: Readonly<Record<string, string>> }

interface RunningServers {
  /** The ready message for the parent process, with the addresses of the servers. */
  readonly ready: Ready
  readonly close: () => Promise<unknown>
}

/** The longest time that an open request delays the exit. */
const shutdownTimeoutMs = 10_000

const listAddresses = (ready: Ready) => ('url' in ready ? [ready.url] : Object.values(ready.urls))

/** Runs servers of the sandbox in this process, and exits on SIGTERM, on SIGINT and when the parent process exits. */
export const runServers = (name: string, start: () => Promise<RunningServers>) => {
  const starting = start()
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(0), shutdownTimeoutMs).unref()
    starting
      .then((servers) => servers.close())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The IPC channel closes when the parent exits, even after SIGKILL.
  process.on('disconnect', stop)

  starting.then(
    ({ ready }) => {
      if (process.send) process.send(ready)
      else process.stdout.write(`${name} listening at ${listAddresses(ready).join(', ')}\n`)
    },
    (error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`)
      process.exit(1)
    },
  )
}
