import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

interface LinkStatusColumns {
  readonly expiresAt: AnyColumn
  readonly revokedAt: AnyColumn
}

export const isActiveLink = ({ expiresAt, revokedAt }: LinkStatusColumns): SQL =>
  sql`(${revokedAt} is null and (${expiresAt} is null or ${expiresAt} > statement_timestamp()))`

export const selectLinkStatus = ({ expiresAt, revokedAt }: LinkStatusColumns) =>
  sql<'active' | 'revoked' | 'expired'>`case
    when ${revokedAt} is not null then 'revoked'
    when ${expiresAt} <= statement_timestamp() then 'expired'
    else 'active' end`
