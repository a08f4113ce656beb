import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { unstable_readConfig as readConfig } from 'wrangler'
import type { WorkerModule } from './bundle-worker.ts'

const wranglerConfig = join(import.meta.dirname, '../../wrangler.toml')

interface RuntimeOptions {
  readonly host: string
  readonly port: number
  readonly bindings: Readonly<Record<string, string>>
  /** Database URLs, by the name of the Hyperdrive binding. */
  readonly hyperdrives: Readonly<Record<string, string>>
  readonly onLogLine: (line: string) => void
}

const assetsOf = ({ assets }: ReturnType<typeof readConfig>) =>
  join(dirname(wranglerConfig), assets?.directory ?? '')

/**
 * Starts a bundled Worker in workerd, with the compatibility settings of `wrangler.toml`. The first module is the
 * entry. Does not use wrangler's own server, because it sends the Worker's fetches through Node, which follows
 * redirects.
 */
export const startWorkerRuntime = (
  modules: readonly WorkerModule[],
  {
    host = '127.0.0.1',
    port = 0,
    bindings = {},
    hyperdrives = {},
    onLogLine = () => undefined,
  }: Partial<RuntimeOptions> = {},
): Miniflare => {
  const config = readConfig({ config: wranglerConfig })
  const { compatibility_date: compatibilityDate = '', compatibility_flags: compatibilityFlags } = config
  return new Miniflare(
    convertV4MiniflareOptions({
      name: 'crossfade',
      host,
      port,
      cf: false,
      log: new NoOpLog(),
      compatibilityDate,
      compatibilityFlags,
      modules: modules.map(({ name, contents }) => ({ type: 'ESModule', path: name, contents })),
      handleStructuredLogs: ({ message }) => onLogLine(message),
      bindings: { ...bindings },
      hyperdrives: { ...hyperdrives },
      serviceBindings: { ASSETS: { disk: { path: assetsOf(config), writable: false } } },
    }),
  )
}
