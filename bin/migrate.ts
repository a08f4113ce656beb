import { baselineDatabase, migrateDatabase, requireMigratedDatabase } from '#db/migrate.ts'
import { readMigrationSettings } from '#gateway/settings/settings.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { readSettingsOrExit } from './process/lifecycle.ts'
import { readMigrationTarget } from './process/prepare-database.ts'

const readMode = (args: readonly string[]) => {
  const { values, usage } = readCommandLine(
    {
      name: 'migrate',
      does: 'Migrates the database at DATABASE_URL to the schema of this version.',
      example: '--check',
      flags: {
        check: {
          type: 'boolean',
          means: 'only checks: changes nothing, and exits with 1 if migrations are missing',
        },
        baseline: {
          type: 'boolean',
          means: 'adopts a database that already has the tables, if they match the migrations',
        },
      },
    },
    args,
  )
  if (values.check && values.baseline) throw new Error(`use --check or --baseline, not both\n${usage}`)
  return values
}

const { check, baseline } = readArgumentsOrExit('migrate', readMode, 1)
const { databaseUrl, ca, exitWithMigrationError } = readMigrationTarget(
  await readSettingsOrExit(readMigrationSettings),
)

const adopt = async () => {
  const { upTo, applied } = await baselineDatabase(databaseUrl, ca)
  return [
    `the database matches ${upTo}, so all migrations up to that one were recorded as applied`,
    ...applied.map((name) => `applied ${name}`),
  ]
}

const migrate = async () => {
  const run = check ? requireMigratedDatabase : migrateDatabase
  const { applied, unknown } = await run(databaseUrl, ca)
  const newer =
    unknown > 0
      ? [`the database has ${unknown} ${unknown === 1 ? 'migration' : 'migrations'} from a newer version`]
      : []
  return [...applied.map((name) => `applied ${name}`), ...newer]
}

const lines = await (baseline ? adopt() : migrate()).catch(exitWithMigrationError)
process.stdout.write([...lines, 'the database is up to date', ''].join('\n'))
