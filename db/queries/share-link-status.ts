import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

interface LinkStatusColumns {
  readonly expiresAt: AnyColumn
  readonly revokedAt: AnyColumn
}

/** Whether a link is active, by the clock of the database at the start of the statement. */
export const isActiveLink = ({ expiresAt, revokedAt }: LinkStatusColumns): SQL =>
  sql`(${revokedAt} is null and (${expiresAt} is null or ${expiresAt} > statement_timestamp()))`

/** Computes the status of a link, which is never stored. Revoked takes precedence over expired. */
export const selectLinkStatus = ({ expiresAt, revokedAt }: LinkStatusColumns) =>
  sql<'active' | 'revoked' | 'expired'>`case
    when ${revokedAt} is not null then 'revoked'
    when ${expiresAt} <= statement_timestamp() then 'expired'
    else 'active' end`
