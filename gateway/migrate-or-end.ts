import { migrateDatabase } from '#db/migrate.ts'
import { describeError } from './log.ts'
import { fail } from './run-process.ts'

// By the codes of the system, of the driver and of PostgreSQL.
const faultsOfTheAddress: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  CONNECT_TIMEOUT: 'nobody answers there',
  '28P01': 'the user or the password is wrong',
  '28000': 'the user may not connect',
  '3D000': 'there is no such database',
}

/** Brings the database up to date, or ends the process with a line that says why, and never with the address. */
export const migrateOrEnd = (databaseUrl: string): Promise<void> =>
  migrateDatabase(databaseUrl).catch((error) => {
    const fault = faultsOfTheAddress[error?.code]
    fail(
      fault === undefined
        ? `the database could not be migrated: ${JSON.stringify(describeError(error))}`
        : `DATABASE_URL leads to no database: ${fault} (${error.code})`,
    )
  })
