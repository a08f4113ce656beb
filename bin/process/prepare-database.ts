import { supportsPreparedStatements } from '#db/client/prepared-statement-check.ts'
import {
  convertConnectionError,
  DatabaseUnreachable,
  isDatabaseUnavailable,
  isDatabaseUnreachable,
  withDatabaseTimeout,
} from '#db/client/unreachable.ts'
import { MigrationError } from '#db/migrate/migration-error.ts'
import { migrateDatabase, requireMigratedDatabase } from '#db/migrate.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { MigrationSettings, Settings } from '#gateway/settings/settings.ts'
import { describeError } from '#shared/describe-error.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { exitWithError } from './lifecycle.ts'

interface MigrationTarget {
  readonly databaseUrl: string
  readonly ca: string | undefined
  /** Prints neither the database URL nor row values. */
  exitWithMigrationError(error: unknown): never
}

/** Returns the database address for migrations. It bypasses the pooler if there is one. */
export const readMigrationTarget = (settings: MigrationSettings): MigrationTarget => {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_CA: ca } = settings
  const setting = DATABASE_DIRECT_URL === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  return {
    databaseUrl: DATABASE_DIRECT_URL ?? DATABASE_URL,
    ca,
    exitWithMigrationError(error) {
      if (error instanceof MigrationError) return exitWithError(error.message)
      const description =
        describeDatabaseError(error, setting) ??
        (error instanceof DatabaseUnreachable ? `${error.message}: check ${setting} and start again` : null)
      return exitWithError(
        description ?? `database migration failed: ${JSON.stringify(describeError(error))}`,
      )
    },
  }
}

interface MigrateSettings extends MigrationSettings {
  readonly MIGRATE_ON_START: boolean
}

const migrateOnStart = async (settings: MigrateSettings, log: Log): Promise<void> => {
  const prepare = settings.MIGRATE_ON_START ? migrateDatabase : requireMigratedDatabase
  const { databaseUrl, ca } = readMigrationTarget(settings)
  const { applied, unknown } = await prepare(databaseUrl, ca)
  if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
  if (unknown > 0) log.warn({ unknownMigrations: unknown }, 'database schema of a newer version accepted')
}

export const migrateOrExit = (settings: MigrateSettings, log: Log): Promise<void> =>
  migrateOnStart(settings, log).catch(readMigrationTarget(settings).exitWithMigrationError)

type PoolerSettings = Pick<Settings, 'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'>

const unknownSupport =
  'could not find out whether the pooler at DATABASE_URL supports prepared statements: set DATABASE_PREPARE=off, or'

class PoolerFault extends Error {
  override name = 'PoolerFault'
  /** False if it is unknown whether the pooler supports them. */
  readonly isCertain: boolean

  constructor(message: string, isCertain: boolean) {
    super(message)
    this.isCertain = isCertain
  }
}

/** Finds a fault in the pooler that would make prepared statements fail at random later. */
const findPoolerFault = async (settings: PoolerSettings): Promise<PoolerFault | null> => {
  if (!settings.DATABASE_PREPARE) return null
  try {
    const isSupported = await supportsPreparedStatements(settings.DATABASE_URL, settings.DATABASE_CA)
    if (isSupported) return null
    if (isSupported === null)
      return new PoolerFault(
        `${unknownSupport} raise its default_pool_size: it had no connection for the check within 5 s`,
        false,
      )
    return new PoolerFault(
      'the pooler at DATABASE_URL does not support prepared statements: set DATABASE_PREPARE=off, or use PgBouncer 1.21 or later with max_prepared_statements',
      true,
    )
  } catch (error) {
    return isDatabaseUnavailable(error)
      ? null
      : new PoolerFault(`${unknownSupport} correct ${JSON.stringify(describeError(error))}`, false)
  }
}

export const requirePreparedStatements = async (settings: PoolerSettings): Promise<void> => {
  const fault = await findPoolerFault(settings)
  if (fault) exitWithError(fault.message)
}

type Preparation = () => Promise<void>

type StartSettings = Pick<
  Settings,
  | 'CORE_BASE_URL'
  | 'DATABASE_CA'
  | 'DATABASE_DIRECT_URL'
  | 'DATABASE_PREPARE'
  | 'DATABASE_URL'
  | 'GATEWAY_KILL'
  | 'MIGRATE_ON_START'
>

const startTimeoutMs = 10_000
/**
 * How long to wait for an attempt before starting the next. The connection of a waiting attempt may have died
 * unnoticed.
 */
const attemptTimeoutMs = 120_000

const prepare = async (settings: StartSettings, log: Log) => {
  await migrateOnStart(settings, log)
  const fault = await findPoolerFault(settings)
  if (fault) throw fault
}

// Waiting does not help with these: the settings are wrong.
const misconfigured = new Set(['28P01', '28000', 'ENOTFOUND'])

const isMisconfigured = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && misconfigured.has(String(error.code))) || isMisconfigured(error.cause))

/**
 * Whether a gateway may start before its database is prepared. An outage must not stop it from serving what the core
 * can serve. If routes are killed, even a wrong setting or an expired certificate must not delay the start.
 */
const mayPass = (error: unknown, isKilling: boolean) => {
  if (error instanceof PoolerFault) return !error.isCertain
  if (isKilling)
    return isDatabaseUnavailable(convertConnectionError(error)) || describeDatabaseError(error) !== null
  return isDatabaseUnreachable(convertConnectionError(error)) && !isMisconfigured(error)
}

const prepareOrDefer = async (settings: StartSettings, log: Log): Promise<Preparation | undefined> => {
  const first = prepare(settings, log)
  // If the first attempt is still running, the next call waits for it, because a second attempt would only wait for the
  // first one to release its locks.
  let attempt: Promise<void> | null = first
  first.catch(() => {
    attempt = null
  })
  try {
    await withDatabaseTimeout(startTimeoutMs, first)
    return undefined
  } catch (error) {
    if (!mayPass(error, settings.GATEWAY_KILL.length > 0)) {
      if (error instanceof PoolerFault) return exitWithError(error.message)
      return readMigrationTarget(settings).exitWithMigrationError(error)
    }
    log.error({ failure: describeError(error) }, 'failed to prepare database at start, will try again')
    return () => {
      const current = attempt ?? prepare(settings, log)
      attempt = null
      return withDatabaseTimeout(attemptTimeoutMs, current)
    }
  }
}

/**
 * Migrates the database and checks the pooler before a gateway starts. If that fails, prints why and exits. With a
 * core, however, the gateway may start while the database is unreachable, because the core serves two-sided routes. In
 * that case, returns the preparation to run before the database is used. A wrong password or host name still prevents
 * the start unless routes are killed.
 */
export const prepareDatabase = async (
  settings: StartSettings,
  log: Log,
): Promise<Preparation | undefined> => {
  if (settings.CORE_BASE_URL !== null) return prepareOrDefer(settings, log)
  await migrateOrExit(settings, log)
  await requirePreparedStatements(settings)
  return undefined
}
