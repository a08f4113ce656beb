import { waitUntil } from 'cloudflare:workers'
import { Hono } from 'hono/tiny'
import { openDatabase } from '#db/client/connection.ts'
import { handlers } from '#native-routes/index.ts'
import { createFetchTransport, type FetchTransport } from '#proxy/fetch/transport-fetch.ts'
import { createConsoleLog } from '../adapters/log-console.ts'
import {
  type ComposedGateway,
  composeGateway,
  defaultNativeTimeoutMs,
  readCoreOptions,
} from '../app/compose-gateway.ts'
import { createBodyBudget } from '../edge/body-budget.ts'
import { reportCoreState, reportDatabaseState } from '../observability/readiness.ts'
import { type Pages, pageResponse } from '../pages/create-pages.ts'
import { createRouteBreaker } from '../request/route-breaker.ts'
import { readSettings, type Settings } from '../settings/settings.ts'

/** The bindings: settings as variables and secrets, and the pool in front of the database. */
export interface WorkerEnvironment {
  readonly HYPERDRIVE?: { readonly connectionString: string }
  readonly [name: string]: unknown
}

/** What all requests of one isolate share. A connection belongs to its request and cannot be part of it. */
export interface Isolate extends ComposedGateway {
  readonly settings: Settings
  /** Null where no core is configured: then nothing is ever forwarded. */
  readonly transport: FetchTransport | null
}

const settingsOf = ({ HYPERDRIVE, ...variables }: WorkerEnvironment) => {
  const texts = Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  const database = HYPERDRIVE ? { DATABASE_URL: HYPERDRIVE.connectionString } : {}
  return readSettings({ ...Object.fromEntries(texts), ...database })
}

// An isolate has 128 MB for everything, and a body takes several times its length once it is parsed.
const maxBodyMemoryBytes = 33_554_432

const askDatabase = async (url: string) => {
  const database = openDatabase(url, { connections: 1 })
  const report = await reportDatabaseState(database)
  waitUntil(database.close())
  return report
}

// The reader of the description is several megabytes of script, more than a Worker should carry.
const createDocsNote = (): Pages => {
  const pages: Pages = new Hono()
  pages.get('/docs', () =>
    pageResponse('The description of this API is at /openapi.json.\n', {
      'content-type': 'text/plain; charset=UTF-8',
    }),
  )
  return pages
}

/** Reads the settings and builds everything that outlives a request. Throws `SettingsError`. */
export const openIsolate = async (environment: WorkerEnvironment): Promise<Isolate> => {
  const settings = settingsOf(environment)
  const core = readCoreOptions(settings)
  const transport = core && createFetchTransport(core)
  const composed = composeGateway({
    settings,
    log: createConsoleLog(settings.LOG_LEVEL),
    handlers,
    nativeTimeoutMs: defaultNativeTimeoutMs,
    readiness: {
      phase: 'ready',
      database: () => askDatabase(settings.DATABASE_URL),
      core: () => reportCoreState(transport),
    },
    routeBreaker: createRouteBreaker(),
    platformPages: [createDocsNote()],
    bodyBudget: createBodyBudget(Math.min(settings.BODY_MEMORY_BYTES, maxBodyMemoryBytes)),
    inBackground: waitUntil,
  })
  return { ...composed, settings, transport }
}
