import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'

const migrationsFolder = join(import.meta.dirname, '../migrations')

export interface Migration {
  /** Its file name in `db/migrations`, without `.sql`. */
  readonly name: string
  readonly hash: string
  /** When it was generated: the database knows it by this number. */
  readonly createdAt: number
  readonly statements: readonly string[]
}

const readNames = () => {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    readFileSync(join(migrationsFolder, 'meta/_journal.json'), 'utf8'),
  )
  return journal.entries.map(({ tag }) => tag)
}

/** The migrations of this version, oldest first. */
export const readMigrations = (): readonly Migration[] => {
  const names = readNames()
  return readMigrationFiles({ migrationsFolder }).map(({ hash, folderMillis, sql }, index) => ({
    name: names[index] ?? '',
    hash,
    createdAt: folderMillis,
    statements: sql,
  }))
}
