import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { afterAll, beforeAll } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import type { TestGateway } from './gateway.ts'
import { requestAt } from './request-at.ts'
import { buildWorkerBundle } from './worker-bundle.ts'

export interface TestWorker {
  readonly origin: () => string
  readonly request: TestGateway['request']
  /** The lines that the Worker has written to its console. */
  readonly logLines: () => readonly string[]
}

const wranglerConfig = join(import.meta.dirname, '../../wrangler.toml')

let script: Promise<string> | undefined

// Built once per test file for all its Workers.
const getScript = () => {
  script ??= buildWorkerScript()
  return script
}

/** Bundles a Worker, by default that of the gateway, and returns its script. */
export const buildWorkerScript = async (entry?: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-worker-'))
  try {
    return await readFile((await buildWorkerBundle(folder, entry)).script, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface RuntimeOptions {
  readonly bindings: Record<string, string>
  readonly hyperdrives: Record<string, string>
  readonly onLogLine: (line: string) => void
}

/** Starts a bundled Worker in the local runtime, with the compatibility settings of `wrangler.toml`. */
export const startWorkerRuntime = (
  contents: string,
  { bindings = {}, hyperdrives = {}, onLogLine = () => undefined }: Partial<RuntimeOptions> = {},
): Miniflare => {
  const { compatibility_date: compatibilityDate = '', compatibility_flags: compatibilityFlags } = readConfig({
    config: wranglerConfig,
  })
  return new Miniflare(
    convertV4MiniflareOptions({
      name: 'crossfade',
      host: '127.0.0.1',
      port: 0,
      cf: false,
      log: new NoOpLog(),
      compatibilityDate,
      compatibilityFlags,
      modules: [{ type: 'ESModule', path: 'worker.js', contents }],
      handleStructuredLogs: ({ message }) => onLogLine(message),
      bindings,
      hyperdrives,
    }),
  )
}

/**
 * Starts the bundled Workers entry in the local runtime with the environment of a Node gateway.
 * Wrangler's own server is not used because it sends the Worker's fetches through Node, which follows redirects.
 */
export const openTestWorker = async (
  { DATABASE_URL = '', ...bindings }: Readonly<Record<string, string>>,
  onLogLine: (line: string) => void,
) => {
  const runtime = startWorkerRuntime(await getScript(), {
    onLogLine,
    bindings: { PUBLIC_BASE_URL: 'https://api.example', ...bindings },
    hyperdrives: { HYPERDRIVE: DATABASE_URL },
  })
  return { origin: (await runtime.ready).origin, close: () => runtime.dispose() }
}

/** Starts the bundled Workers entry beside a Node gateway, with its settings and its database. */
export const startTestWorker = (
  gateway: TestGateway,
  environment: Readonly<Record<string, string>> = {},
): TestWorker => {
  const logLines: string[] = []
  let worker: Awaited<ReturnType<typeof openTestWorker>> | undefined
  const origin = () => worker?.origin ?? ''

  beforeAll(async () => {
    worker = await openTestWorker({ ...gateway.environment, ...environment }, (line) => logLines.push(line))
  }, 60_000)

  afterAll(() => worker?.close())

  return {
    origin,
    request: (...sent) => requestAt(origin(), ...sent),
    logLines: () => logLines,
  }
}
