import { DatabaseUnreachable } from '#db/client/unreachable.ts'
import { MigrationError } from '#db/migrate/migration-error.ts'
import { migrateDatabase, requireMigratedDatabase } from '#db/migrate.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { MigrationSettings } from '../settings/settings.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { exitWithError } from './lifecycle.ts'

/** Prints an error of a migration, without the URL of the database and without row values, and exits with status 1. */
export const exitWithMigrationError = (error: unknown): never => {
  if (error instanceof MigrationError) return exitWithError(error.message)
  const description =
    describeDatabaseError(error) ??
    (error instanceof DatabaseUnreachable ? `${error.message}: check DATABASE_URL and start again` : null)
  return exitWithError(description ?? `database migration failed: ${JSON.stringify(describeError(error))}`)
}

interface StartSettings extends MigrationSettings {
  readonly MIGRATE_ON_START: boolean
}

/**
 * Migrates the database of a process that starts, or only checks that it is migrated if `MIGRATE_ON_START` is off. Prints
 * what prevents it and exits.
 */
export const migrateOrExit = async (
  { DATABASE_URL, DATABASE_CA, MIGRATE_ON_START }: StartSettings,
  log: Log,
): Promise<void> => {
  const prepare = MIGRATE_ON_START ? migrateDatabase : requireMigratedDatabase
  const { applied, unknown } = await prepare(DATABASE_URL, DATABASE_CA).catch(exitWithMigrationError)
  if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
  if (unknown > 0) log.warn({ unknownMigrations: unknown }, 'database schema of a newer version accepted')
}
