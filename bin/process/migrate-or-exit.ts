import { DatabaseUnreachable } from '#db/client/unreachable.ts'
import { MigrationError } from '#db/migrate/migration-error.ts'
import { migrateDatabase, requireMigratedDatabase } from '#db/migrate.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { MigrationSettings } from '#gateway/settings/settings.ts'
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

interface StartSettings extends MigrationSettings {
  readonly MIGRATE_ON_START: boolean
}

export const migrateOnStart = async (settings: StartSettings, log: Log): Promise<void> => {
  const prepare = settings.MIGRATE_ON_START ? migrateDatabase : requireMigratedDatabase
  const { databaseUrl, ca } = readMigrationTarget(settings)
  const { applied, unknown } = await prepare(databaseUrl, ca)
  if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
  if (unknown > 0) log.warn({ unknownMigrations: unknown }, 'database schema of a newer version accepted')
}

export const migrateOrExit = (settings: StartSettings, log: Log): Promise<void> =>
  migrateOnStart(settings, log).catch(readMigrationTarget(settings).exitWithMigrationError)
