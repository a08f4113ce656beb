import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/** Whether the connection of this transaction is encrypted. */
export const isConnectionEncrypted = async (tx: Queryable): Promise<boolean> => {
  const [connection] = await tx.execute(sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)
  return connection?.ssl === true
}
