import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { migrationsFolder } from '#shared/run-time-files.ts'

export interface Migration {
  /** The name of the migration's file in `db/migrations`, without `.sql`. */
  readonly name: string
  readonly hash: string
  /** When the migration was generated. In the database, this time identifies the migration. */
  readonly createdAt: number
  readonly statements: readonly string[]
}

const readNames = () => {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    readFileSync(new URL('meta/_journal.json', migrationsFolder), 'utf8'),
  )
  return journal.entries.map(({ tag }) => tag)
}

export const readMigrations = (): readonly Migration[] => {
  const names = readNames()
  return readMigrationFiles({ migrationsFolder: fileURLToPath(migrationsFolder) }).map(
    ({ hash, folderMillis, sql }, index) => ({
      name: names[index] ?? '',
      hash,
      createdAt: folderMillis,
      statements: sql,
    }),
  )
}
