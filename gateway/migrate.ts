import { readSettingsOrExit } from './process/lifecycle.ts'
import { migrateOrExit } from './process/migrate-or-exit.ts'
import { readMigrationSettings } from './settings/settings.ts'

await migrateOrExit(await readSettingsOrExit(readMigrationSettings))
process.stdout.write('the database is up to date\n')
