import { settingsOrEnd } from './process/lifecycle.ts'
import { migrateOrEnd } from './process/migrate-or-exit.ts'
import { readMigrationSettings } from './settings/settings.ts'

const { DATABASE_URL } = await settingsOrEnd(readMigrationSettings)
await migrateOrEnd(DATABASE_URL)
process.stdout.write('the database is up to date\n')
