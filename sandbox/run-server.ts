interface RunningServer {
  readonly url: string
  readonly close: () => Promise<void>
}

const required = (name: string) => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

/** Runs a server of the sandbox as a process of its own: it says where it listens and ends with whoever started it. */
export const runServer = (name: string, start: (setting: typeof required) => Promise<RunningServer>) => {
  const starting = start(required)
  const stop = () => {
    starting
      .then((server) => server.close())
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
    ({ url }) => process.send?.({ url }),
    (error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`)
      process.exit(1)
    },
  )
}
