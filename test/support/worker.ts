import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { afterAll, beforeAll } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { requestAt, type TestGateway } from './gateway.ts'
import { buildWorkerBundle } from './worker-bundle.ts'

export interface TestWorker {
  readonly origin: () => string
  readonly request: TestGateway['request']
  /** What the Worker has written to its console so far. */
  readonly logLines: () => readonly string[]
}

const wranglerConfig = join(import.meta.dirname, '../../wrangler.toml')

let script: Promise<string> | undefined

// Built once for a test file, however many Workers it starts.
const builtScript = () => {
  script ??= buildScript()
  return script
}

const buildScript = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-worker-'))
  try {
    return await readFile((await buildWorkerBundle(folder)).script, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Starts the bundled Workers entry in the local runtime, beside a gateway on Node and with its settings and database.
 * Wrangler's own server is not used: it sends what the Worker fetches through Node, which follows redirects.
 */
export const startTestWorker = (
  gateway: TestGateway,
  environment: Readonly<Record<string, string>> = {},
): TestWorker => {
  const logLines: string[] = []
  let runtime: Miniflare | undefined
  let origin = ''

  beforeAll(async () => {
    const contents = await builtScript()
    const { compatibility_date: compatibilityDate = '', compatibility_flags: compatibilityFlags } =
      readConfig({
        config: wranglerConfig,
      })
    const { DATABASE_URL = '', ...bindings } = { ...gateway.environment, ...environment }
    runtime = new Miniflare(
      convertV4MiniflareOptions({
        name: 'crossfade',
        host: '127.0.0.1',
        port: 0,
        cf: false,
        log: new NoOpLog(),
        handleStructuredLogs: ({ message }) => logLines.push(message),
        compatibilityDate,
        compatibilityFlags,
        modules: [{ type: 'ESModule', path: 'worker.js', contents }],
        bindings,
        hyperdrives: { HYPERDRIVE: DATABASE_URL },
      }),
    )
    origin = (await runtime.ready).origin
  }, 60_000)

  afterAll(() => runtime?.dispose())

  return {
    origin: () => origin,
    request: (...sent) => requestAt(origin, ...sent),
    logLines: () => logLines,
  }
}
