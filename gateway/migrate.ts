import { readSettingsOrExit } from './process/lifecycle.ts'
import { migrateOrExit } from './process/migrate-or-exit.ts'
import { readMigrationSettings } from './settings/settings.ts'

const { DATABASE_URL } = await readSettingsOrExit(readMigrationSettings)
await migrateOrExit(DATABASE_URL)
process.stdout.write('the database is up to date\n')
