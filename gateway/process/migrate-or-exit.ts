import { migrateDatabase } from '#db/migrate.ts'
import { describeError } from '../observability/log.ts'
import type { MigrationSettings } from '../settings/settings.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { exitWithError } from './lifecycle.ts'

/** Migrates the database, or prints an error that does not reveal its URL and exits. */
export const migrateOrExit = ({ DATABASE_URL, DATABASE_CA }: MigrationSettings): Promise<void> =>
  migrateDatabase(DATABASE_URL, DATABASE_CA).catch((error) =>
    exitWithError(
      describeDatabaseError(error) ?? `database migration failed: ${JSON.stringify(describeError(error))}`,
    ),
  )
