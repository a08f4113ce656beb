import * as z from 'zod'

const Column = z.object({ type: z.string(), notNull: z.boolean(), default: z.unknown().optional() })
const Named = z.record(z.string(), z.looseObject({}))
const Table = z.looseObject({
  columns: z.record(z.string(), Column),
  indexes: z.record(z.string(), z.looseObject({ isUnique: z.boolean().optional() })),
  foreignKeys: Named,
  compositePrimaryKeys: Named,
  uniqueConstraints: Named,
  checkConstraints: Named,
})
type Table = z.infer<typeof Table>

/** The schema after a migration, as drizzle-kit describes it in `db/migrations/meta`. */
export const Snapshot = z.looseObject({ tables: z.record(z.string(), Table) })
type Snapshot = z.infer<typeof Snapshot>

const listColumnChanges = (name: string, before: Table, after: Table) => {
  const removedOrChanged = Object.entries(before.columns).flatMap(([column, old]) => {
    const now = after.columns[column]
    if (!now) return [`${name}.${column} is removed`]
    if (now.type !== old.type) return [`${name}.${column} becomes ${now.type}`]
    if (now.notNull !== old.notNull)
      return [`${name}.${column} ${now.notNull ? 'can no longer be null' : 'may be null'}`]
    return old.default !== undefined && now.default === undefined
      ? [`${name}.${column} loses its default`]
      : []
  })
  const required = Object.entries(after.columns)
    .filter(
      ([column, { notNull, default: value }]) => !before.columns[column] && notNull && value === undefined,
    )
    .map(([column]) => `${name}.${column} is added without a default`)
  return [...removedOrChanged, ...required]
}

// The previous release may write rows that violate a constraint it does not know about.
const constraints = ['foreignKeys', 'compositePrimaryKeys', 'uniqueConstraints', 'checkConstraints'] as const

const listConstraintChanges = (name: string, before: Table, after: Table) => {
  const changed = constraints.flatMap((kind) =>
    Object.entries(after[kind])
      .filter(([constraint, now]) => JSON.stringify(before[kind][constraint]) !== JSON.stringify(now))
      .map(([constraint]) => `${name} gets the constraint ${constraint}`),
  )
  const listUnique = ({ indexes }: Table) =>
    Object.entries(indexes).filter(([, { isUnique }]) => isUnique === true)
  const unique = listUnique(after)
    .filter(([index, now]) => JSON.stringify(before.indexes[index]) !== JSON.stringify(now))
    .map(([index]) => `${name} gets the unique index ${index}`)
  // An upsert fails if the constraint that it names as its conflict target is gone.
  const removed = [
    ...(['compositePrimaryKeys', 'uniqueConstraints'] as const).flatMap((kind) =>
      Object.keys(before[kind]).filter((key) => !after[kind][key]),
    ),
    ...listUnique(before).flatMap(([index]) => (after.indexes[index] ? [] : [index])),
  ].map((key) => `${name} loses ${key}`)
  return [...changed, ...unique, ...removed]
}

/** Lists the changes between two schemas that may break a release built for the first one. */
export const listBreakingChanges = (before: Snapshot, after: Snapshot): readonly string[] =>
  Object.entries(before.tables).flatMap(([name, old]) => {
    const now = after.tables[name]
    if (!now) return [`${name} is removed`]
    return [...listColumnChanges(name, old, now), ...listConstraintChanges(name, old, now)]
  })
