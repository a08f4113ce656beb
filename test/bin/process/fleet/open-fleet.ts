import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrateDatabase } from '#db/migrate.ts'
import { createGatewayEnvironment } from '#dev/bench/gateway-process.ts'
import { startProcess } from '#dev/bench/start-process.ts'
import { startEmbeddedPostgres } from '#dev/postgres/start.ts'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { readInstallationSalt } from '#migration/control/routing-state.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { testOperators } from '#test/support/operators.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'
import { type Fault, type Instance, startInstance } from './instance.ts'
import { type Period, watchDatabase, watchStalls } from './watch-stalls.ts'

interface FleetOptions {
  readonly folder: string
  readonly size?: number
  readonly faultOf?: (index: number) => Fault | undefined
  readonly throughRelay?: boolean
  /** Whether notifications are lost, as behind a pooler in transaction mode. */
  readonly losesNotifications?: boolean
  /** Whether instances reach the database through PgBouncer, except where they use `DATABASE_DIRECT_URL`. */
  readonly isPooled?: boolean
}

export interface Fleet {
  readonly instances: readonly Instance[]
  readonly former: readonly Instance[]
  /** Each instance's relay, by index; empty without relays. */
  readonly relays: readonly DatabaseRelay[]
  readonly sql: postgres.Sql
  readonly databaseUrl: string
  /** The URL of PgBouncer's console; null without PgBouncer. */
  readonly poolerConsoleUrl: string | null
  readonly installationSalt: string
  mintToken(accountId: string): Promise<string>
  readonly stalls: readonly Period[]
  /** Starts one more instance from the build in this folder. */
  add(projectFolder: string): Promise<void>
  /** Replaces a stopped instance with one that has these settings. */
  replace(index: number, environment: Readonly<Record<string, string>>): Promise<void>
  stopBefore(stop: () => void | Promise<void>): void
  stop(): Promise<void>
}

export const fleetSize = 5

// Replacing `pg_notify` in place would change nothing, because PostgreSQL looks up its own functions by id.
const loseNotifications = (sql: postgres.Sql) =>
  sql.begin(async (tx) => {
    await tx`alter function pg_catalog.pg_notify(text, text) rename to pg_notify_of_server`
    await tx`create function pg_catalog.pg_notify(text, text) returns void language sql as ''`
  })

const startPooler = (databaseUrl: string) =>
  startPgBouncer(databaseUrl, { admin_users: new URL(databaseUrl).username })

// Debian's PgBouncer does not support prepared statements.
const createPoolerEnvironment = (databaseUrl: string, pooler: PgBouncer | null) =>
  pooler ? { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: databaseUrl, DATABASE_PREPARE: 'off' } : undefined

// Commits get timestamps, because adoption is measured from the time of each commit.
const startDatabase = (folder: string) =>
  startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    durable: false,
    settings: { track_commit_timestamp: 'on', max_connections: '300' },
  })

/** If anything fails, stops what has been started. */
export const openFleet = async (options: FleetOptions): Promise<Fleet> => {
  const started = new AsyncDisposableStack()
  try {
    return await startAll(options, started)
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

const startAll = async (options: FleetOptions, started: AsyncDisposableStack): Promise<Fleet> => {
  const { size = fleetSize, faultOf = () => undefined, throughRelay = false } = options
  const folder = join(options.folder, crypto.randomUUID())
  await mkdir(folder)
  const database = started.adopt(await startDatabase(folder), (server) => server.stop())
  await migrateDatabase(database.url)
  const pooler = options.isPooled
    ? started.adopt(await startPooler(database.url), (process) => process.stop())
    : null
  const sql = started.adopt(postgres(database.url, { max: 3, onnotice: () => undefined }), (client) =>
    client.end({ timeout: 1 }),
  )
  if (options.losesNotifications) await loseNotifications(sql)
  const issuer = await startTokenIssuer({ stateDir: join(folder, 'issuer') })
  started.defer(() => issuer.close())
  const core = await startProcess({
    command: process.execPath,
    arguments: [join(import.meta.dirname, '../../../../dev/bench/upstream.ts')],
  })
  started.defer(() => core.stop())

  const stalls: Period[] = []
  const recordStall = (stall: Period) => void stalls.push(stall)
  started.defer(watchStalls(recordStall))
  started.defer(watchDatabase(sql, recordStall))
  const instances: Instance[] = []
  const former: Instance[] = []
  const relays: DatabaseRelay[] = []
  started.defer(async () => {
    await Promise.all(instances.map((instance) => instance.stop()))
  })
  const openRelay = async () => {
    const relay = await startDatabaseRelay(database.url)
    started.defer(() => relay.close())
    relays.push(relay)
  }
  const environmentOf = (index: number) => ({
    // All fleets of a run share this cache, because compiling takes most of a start.
    NODE_COMPILE_CACHE: join(options.folder, 'compiled'),
    ...createGatewayEnvironment({
      databaseUrl: relays[index]?.url ?? database.url,
      coreUrl: core.url,
      issuer,
    }),
    ...createPoolerEnvironment(database.url, pooler),
    OPERATORS: testOperators,
    DRAIN_MS: '200',
  })
  const start = async (index: number, changes: Partial<Parameters<typeof startInstance>[0]> = {}) => {
    instances[index] = await startInstance({ folder, environment: environmentOf(index), ...changes })
  }
  const indexes = Array.from({ length: size }, (_, index) => index)
  if (throughRelay) for (const _ of indexes) await openRelay()
  await start(0, { fault: faultOf(0) })
  // The other instances start at the same time, now that the first one has filled the compile cache.
  const starts = indexes.slice(1).map((index) => start(index, { fault: faultOf(index) }))
  // If one instance fails, the others are stopped once they have started.
  await Promise.allSettled(starts)
  await Promise.all(starts)

  return {
    instances,
    former,
    relays,
    sql,
    databaseUrl: database.url,
    poolerConsoleUrl: pooler && new URL('/pgbouncer', pooler.url).href,
    installationSalt: readInstallationSalt({ GATEWAY_SECRET: environmentOf(0).GATEWAY_SECRET }),
    mintToken: issuer.mintToken,
    stalls,
    add: (projectFolder) => start(instances.length, { projectFolder }),
    stopBefore: (stop) => started.defer(stop),
    async replace(index, environment) {
      former.push(...instances.slice(index, index + 1))
      await start(index, { environment: { ...environmentOf(index), ...environment } })
    },
    stop: () => started.disposeAsync(),
  }
}
