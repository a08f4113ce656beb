import type postgres from 'postgres'

/** How many bytes the write-ahead log of the server has had so far. */
export const readWalPosition = async (sql: postgres.Sql) => {
  const [wal] = await sql`select pg_current_wal_insert_lsn() - '0/0' as bytes`
  return Number(wal?.bytes)
}
