import type postgres from 'postgres'

/** Drops the primary keys and indexes of the tables, and creates them again after `work`: faster for many rows. */
export const withoutIndexes = async (
  sql: postgres.Sql,
  tables: readonly string[],
  work: () => Promise<void>,
) => {
  const keys = await sql`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'p' and conrelid::regclass::text in ${sql(tables)}`
  for (const { table, name } of keys) await sql`alter table ${sql(table)} drop constraint ${sql(name)}`
  const indexes = await sql`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename in ${sql(tables)}`
  for (const { name } of indexes) await sql`drop index ${sql(name)}`
  await work()
  for (const { table, name, definition } of keys)
    await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
  for (const { definition } of indexes) await sql.unsafe(definition)
}
