import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

interface LinkColumns {
  readonly expiresAt: AnyColumn
  readonly revokedAt: AnyColumn
}

/** Whether a link opens anything, by the database's clock at this very statement. */
export const isActiveLink = ({ expiresAt, revokedAt }: LinkColumns): SQL =>
  sql`(${revokedAt} is null and (${expiresAt} is null or ${expiresAt} > statement_timestamp()))`

/** Computed, never stored: revoked wins over expired. */
export const selectLinkStatus = ({ expiresAt, revokedAt }: LinkColumns) =>
  sql<'active' | 'revoked' | 'expired'>`case
    when ${revokedAt} is not null then 'revoked'
    when ${expiresAt} <= statement_timestamp() then 'expired'
    else 'active' end`
