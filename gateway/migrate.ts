import { migrateDatabase } from '#db/migrate.ts'

const url = process.env.DATABASE_URL
if (!url) {
  process.stderr.write('migrate: DATABASE_URL is missing\n')
  process.exit(1)
}
await migrateDatabase(url)
process.stdout.write('the database is up to date\n')
