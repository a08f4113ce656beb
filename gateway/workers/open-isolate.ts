import { waitUntil } from 'cloudflare:workers'
import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { openDatabase } from '#db/client/connection.ts'
import type { BuildIdentity } from '#migration/model/evidence-keys.ts'
import { createFetchTransport, type FetchTransport } from '#proxy/fetch/transport-fetch.ts'
import {
  type ComposedGateway,
  composeGateway,
  createCredentials,
  defaultNativeTimeoutMs,
  readCoreOptions,
} from '../app/compose-gateway.ts'
import { createBodyBudget } from '../edge/body-budget.ts'
import { createDominantClientWarning, type Log, readTraceFields, version } from '../observability/log.ts'
import { createTextRegistry } from '../observability/metric-family.ts'
import { readDatabaseState, readGatewayStates } from '../observability/readiness.ts'
import type { SpanSender } from '../observability/tracing-fetch.ts'
import type { LoadDescription } from '../pages/description-page.ts'
import { createPageResponse, type PageApp } from '../pages/page-app.ts'
import type { RouteControl } from '../request/route-control.ts'
import {
  maxWorkerBodyMemoryBytes,
  type ProductionSettings,
  readWorkerSettings,
  type Settings,
} from '../settings/settings.ts'
import { readTracingOptions } from '../settings/tracing.ts'

type Level = Settings['LOG_LEVEL']

const severity: Readonly<Record<Level, number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  fatal: 4,
  silent: 5,
}

export const createConsoleLog = (threshold: Level, base: Readonly<Record<string, string>> = {}): Log => {
  const write = (level: Level) => (fields: Readonly<Record<string, unknown>>, msg: string) => {
    if (severity[level] < severity[threshold]) return
    const line = { level, time: new Date().toISOString(), ...base, ...readTraceFields(), ...fields, msg }
    // biome-ignore lint/suspicious/noConsole: the console is the log here
    console.log(JSON.stringify(line))
  }
  const info = write('info')
  return { info, warn: write('warn'), error: write('error'), request: (fields) => info(fields, 'request') }
}

interface AssetFetcher {
  fetch(address: string): Promise<Response>
}

// The description is read from the file that `dev/tools/write-build.ts` writes. Inside the bundle, it would be larger
// than all handlers together.
const createDescriptionLoader =
  (assets: AssetFetcher | undefined): LoadDescription =>
  async (audience) => {
    // The binding uses only the URL's path.
    const response = await assets?.fetch(`https://assets.invalid/openapi.${audience}.json`)
    if (!response?.ok) throw new ApiError('route_not_found')
    return response.text()
  }

export interface WorkerEnvironment {
  readonly HYPERDRIVE?: { readonly connectionString: string }
  /** The files deployed beside the bundle. Only the Worker can read them. */
  readonly ASSETS?: AssetFetcher
  readonly [name: string]: unknown
}

/** What all requests of an isolate share. They do not share connections: each belongs to one request. */
export interface Isolate extends ComposedGateway {
  readonly settings: ProductionSettings
  readonly transport: FetchTransport | null
  readonly spans: SpanSender | null
}

const readIsolateSettings = ({ HYPERDRIVE, ASSETS: _assets, ...variables }: WorkerEnvironment) => {
  const texts = Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  const database = HYPERDRIVE ? { DATABASE_URL: HYPERDRIVE.connectionString } : {}
  return readWorkerSettings({ ...Object.fromEntries(texts), ...database })
}

const checkDatabase = async ({ DATABASE_URL, DATABASE_CA: ca, DATABASE_PREPARE: prepare }: Settings) => {
  const database = openDatabase(DATABASE_URL, { ca, prepare, connections: 1 })
  const states = await readDatabaseState(database)
  waitUntil(database.close())
  return states
}

// Swagger UI is several megabytes of script, too much for a Worker bundle.
const createDocsPlaceholder = (): PageApp => {
  const pages: PageApp = new Hono()
  pages.get('/docs', () =>
    createPageResponse('The OpenAPI description is available at /openapi.json.\n', {
      'content-type': 'text/plain; charset=UTF-8',
    }),
  )
  return pages
}

const openSpans = async (settings: Settings, log: Log): Promise<SpanSender | null> => {
  const options = readTracingOptions(settings, 'crossfade-gateway')
  if (!options) return null
  const { createSpanSender } = await import('../observability/tracing-fetch.ts')
  return createSpanSender({ ...options, instanceId: crypto.randomUUID(), log })
}

export interface IsolateOptions {
  readonly readBuild: () => BuildIdentity
  /** `handled` lists the labels with a native handler. */
  readonly createControl: (settings: ProductionSettings, handled: readonly Label[], log: Log) => RouteControl
  readonly homePage?: PageApp
}

export const openIsolate = async (
  environment: WorkerEnvironment,
  { readBuild, createControl, homePage }: IsolateOptions,
): Promise<Isolate> => {
  const settings = readIsolateSettings(environment)
  const log = createConsoleLog(settings.LOG_LEVEL, { version })
  const core = readCoreOptions(settings, log)
  const [coreBaseUrl = ''] = core?.coreBaseUrls ?? []
  const coreBreaker = core?.createBreaker(new URL(coreBaseUrl).host) ?? null
  const transport =
    core && coreBreaker && createFetchTransport({ ...core, coreBaseUrl, breaker: coreBreaker })
  const build = readBuild()
  const control = createControl(settings, [...build.keys.keys()], log)
  const bodyBytes = Math.min(settings.BODY_MEMORY_BYTES, maxWorkerBodyMemoryBytes)
  const composed = composeGateway({
    settings,
    log,
    build,
    registry: createTextRegistry(),
    handled: [...build.keys.keys()],
    nativeTimeoutMs: defaultNativeTimeoutMs,
    readiness: {
      processState: { phase: 'ready' },
      // Not shared, because requests of an isolate cannot share a pending query. Only requests with the internal token
      // cause such a query.
      readStates: () =>
        readGatewayStates({ readDatabaseState: () => checkDatabase(settings), transport, control }),
    },
    control,
    coreBreaker,
    credentials: createCredentials(settings, waitUntil),
    loadDescription: createDescriptionLoader(environment.ASSETS),
    platformPages: [createDocsPlaceholder()],
    homePage,
    adminAccess: 'internal-token',
    bodyBudget: createBodyBudget(bodyBytes, createDominantClientWarning(log)),
  })
  return { ...composed, settings, transport, spans: await openSpans(settings, log) }
}
