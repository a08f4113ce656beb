import type { TestDatabase } from './database.ts'

// Tables that a running gateway can write to at any time.
const observations = [
  'gateway_instance',
  'route_counts',
  'route_counts_daily',
  'route_usage',
  'core_usage',
  'core_usage_total',
  'unmatched_usage',
  'evidence_counts',
  'evidence_set',
  'mismatch',
  'route_observations',
  'fleet_observations',
  'route_baseline',
]

/** Returns a checksum of each table's rows, except for the tables where a running gateway records what it observes. */
export const checksumTables = async (sql: TestDatabase['sql']) => {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
      and table_name <> all(${observations})`
  const checksums: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await sql.unsafe<{ checksum: string }[]>(
      `select count(*) || ' ' || md5(string_agg(t::text, ',' order by t::text)) as checksum from ${name} t`,
    )
    checksums[name] = row!.checksum
  }
  return checksums
}
