import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateDrizzleJson } from 'drizzle-kit/api'
import { files, isWithin, root } from './source-files.ts'

const readJson = (path: string) => JSON.parse(readFileSync(join(root, 'db/migrations/meta', path), 'utf8'))

interface Journal {
  readonly entries: readonly { readonly tag: string; readonly when: number }[]
}

export const readJournal = (): Journal => readJson('_journal.json')

/** Reads the schema after the last migration, as drizzle-kit records it. */
const readLastSnapshot = () => {
  const last = readJournal().entries.at(-1)?.tag ?? ''
  return readJson(`${last.slice(0, 4)}_snapshot.json`)
}

export const importSchema = async (): Promise<Record<string, unknown>> => {
  const modules = files.filter((file) => isWithin(file, 'db/schema')).map((file) => import(join(root, file)))
  return Object.assign({}, ...(await Promise.all(modules)))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Finds the paths of the deepest values that differ, such as `tables.public.tracks.columns.title.notNull`. */
const findDifferences = (a: unknown, b: unknown, path: string): string[] => {
  if (!isObject(a) || !isObject(b)) return a === b ? [] : [path]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    findDifferences(a[key], b[key], path === '' ? key : `${path}.${key}`),
  )
}

/** The migrations' SQL is checked by a different test, which uses a database. */
export const describeSchemaDifference = (schema: Record<string, unknown>): string | null => {
  const { id: _, prevId: _previous, _meta, ...migrated } = readLastSnapshot()
  // The snapshot was stored as JSON, so the schema has to pass through JSON too.
  const json = JSON.parse(JSON.stringify(generateDrizzleJson(schema, undefined, undefined, 'snake_case')))
  const { id: _id, prevId: _none, _meta: _names, ...declared } = json
  const differences = findDifferences(migrated, declared, '')
  return differences.length === 0
    ? null
    : `db/schema differs from db/migrations in ${differences.join(', ')}: run npx drizzle-kit generate --name <what-it-changes>`
}
