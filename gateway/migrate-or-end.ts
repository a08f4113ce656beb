import { migrateDatabase } from '#db/migrate.ts'
import { databaseFault } from './database-fault.ts'
import { describeError } from './log.ts'
import { fail } from './run-process.ts'

/** Brings the database up to date, or ends the process with a line that says why, and never with the address. */
export const migrateOrEnd = (databaseUrl: string): Promise<void> =>
  migrateDatabase(databaseUrl).catch((error) =>
    fail(
      databaseFault(error) ?? `the database could not be migrated: ${JSON.stringify(describeError(error))}`,
    ),
  )
