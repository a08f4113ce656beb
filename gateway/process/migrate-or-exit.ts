import { migrateDatabase } from '#db/migrate.ts'
import { describeError } from '../observability/log.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { exitWithError } from './lifecycle.ts'

/** Brings the database up to date, or ends the process with a line that says why, and never with the address. */
export const migrateOrExit = (databaseUrl: string): Promise<void> =>
  migrateDatabase(databaseUrl).catch((error) =>
    exitWithError(
      describeDatabaseError(error) ??
        `the database could not be migrated: ${JSON.stringify(describeError(error))}`,
    ),
  )
