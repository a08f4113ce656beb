import { migrateOrEnd } from './migrate-or-end.ts'
import { settingsOrEnd } from './run-process.ts'
import { readMigrationSettings } from './settings.ts'

const { DATABASE_URL } = await settingsOrEnd(readMigrationSettings)
await migrateOrEnd(DATABASE_URL)
process.stdout.write('the database is up to date\n')
