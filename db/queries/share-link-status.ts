import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

interface LinkStatusColumns {
  readonly expiresAt: AnyColumn
  readonly revokedAt: AnyColumn
}

/** SQL condition: whether a link is active, by the database's clock when the statement started. */
export const isActiveLink = ({ expiresAt, revokedAt }: LinkStatusColumns): SQL =>
  sql`(${revokedAt} is null and (${expiresAt} is null or ${expiresAt} > statement_timestamp()))`

/** Computes a link's status, which is never stored. Revoked takes precedence over expired. */
export const selectLinkStatus = ({ expiresAt, revokedAt }: LinkStatusColumns) =>
  sql<'active' | 'revoked' | 'expired'>`case
    when ${revokedAt} is not null then 'revoked'
    when ${expiresAt} <= statement_timestamp() then 'expired'
    else 'active' end`
