import { onParentExit, sendToParent } from '#shared/processes/child-process.ts'

/** `dev/start/start-child.ts` reads `url` from the core and `urls` from the providers. */
type ReadyMessage = { readonly url: string } | { readonly urls: Readonly<Record<string, string>> }

interface RunningServers {
  readonly ready: ReadyMessage
  readonly close: () => Promise<unknown>
}

/** Requests that are still open after this time are aborted. */
const shutdownTimeoutMs = 10_000

const listUrls = (ready: ReadyMessage) => ('url' in ready ? [ready.url] : Object.values(ready.urls))

export const runServers = (name: string, start: () => Promise<RunningServers>) => {
  const started = start()
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(0), shutdownTimeoutMs).unref()
    started
      .then((servers) => servers.close())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', stop)
  onParentExit(stop)

  started.then(
    ({ ready }) => {
      if (process.send) sendToParent(ready)
      else process.stdout.write(`${name} listening at ${listUrls(ready).join(', ')}\n`)
    },
    (error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`)
      process.exit(1)
    },
  )
}
