import { sql } from 'drizzle-orm'
import { type AnyPgColumn, check, index, pgTable, text } from 'drizzle-orm/pg-core'
import { id, timestamp, timestamps } from './columns.ts'
import { trackId } from './tracks.ts'

// A link is active until it is revoked or expires. Its status is computed and never stored. Of its token, only the
// SHA-256 in hex and the last four characters are stored.
const link = (table: string) => ({
  id: id(),
  trackId: trackId(),
  name: text(),
  tokenHash: text().notNull().unique(`${table}_token_hash`),
  tokenPreview: text().notNull(),
  expiresAt: timestamp(),
  revokedAt: timestamp(),
  ...timestamps(),
})

interface ShareLinkColumns {
  readonly id: AnyPgColumn
  readonly trackId: AnyPgColumn
  readonly tokenHash: AnyPgColumn
  readonly createdAt: AnyPgColumn
}

const linkConstraints = (name: string, { id, trackId, tokenHash, createdAt }: ShareLinkColumns) => [
  index(`${name}_newest_first`).on(trackId, createdAt, id),
  check(`${name}_token_hash_shape`, sql`${tokenHash} ~ '^[0-9a-f]{64}$'`),
]

export const trackShareLinks = pgTable('track_share_links', link('track_share_links'), (table) =>
  linkConstraints('track_share_links', table),
)

export const splitSheetLinks = pgTable('split_sheet_links', link('split_sheet_links'), (table) =>
  linkConstraints('split_sheet_links', table),
)
