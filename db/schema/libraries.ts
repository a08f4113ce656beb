import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp, timestamps } from './columns.ts'
import { tracks } from './tracks.ts'

export const libraries = pgTable(
  'libraries',
  {
    id: id(),
    ownerId: text().notNull(),
    name: text().notNull(),
    /** The name normalized for comparison (NFKC, case-folded). The application computes it. */
    nameKey: text().notNull(),
    description: text(),
    ...timestamps(),
  },
  (table) => [
    // Rejects one of two concurrent requests that use the same name.
    uniqueIndex('libraries_name_of_owner').on(table.ownerId, table.nameKey),
    index('libraries_last_changed_first').on(table.ownerId, table.updatedAt, table.id),
  ],
)

const libraryId = () =>
  text()
    .notNull()
    .references(() => libraries.id, { onDelete: 'cascade' })

export const libraryTracks = pgTable(
  'library_tracks',
  {
    libraryId: libraryId(),
    trackId: text()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    addedAt: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.libraryId, table.trackId] }),
    index('library_tracks_track').on(table.trackId),
    check('library_tracks_position', sql`${table.position} >= 0`),
  ],
)

// The API shows in both fields that a share is revoked.
const accessTypes = ['viewer', 'editor', 'admin', 'revoked'] as const
const inviteStatuses = ['pending', 'accepted', 'declined', 'revoked'] as const

/**
 * A library shared with one invitee: the invitation and, once accepted, the access. An email invitation has no account
 * id until an account responds to it.
 */
export const libraryShares = pgTable(
  'library_shares',
  {
    id: id(),
    libraryId: libraryId(),
    targetUserId: text(),
    email: text(),
    accessType: text({ enum: accessTypes }).notNull(),
    inviteStatus: text({ enum: inviteStatuses }).notNull().default('pending'),
    ...timestamps(),
    respondedAt: timestamp(),
    revokedAt: timestamp(),
  },
  (table) => {
    const live = sql`${table.inviteStatus} in ('pending', 'accepted')`
    return [
      // Allows at most one pending or accepted share of a library per invitee, even with concurrent invitations.
      uniqueIndex('library_shares_live_account').on(table.libraryId, table.targetUserId).where(live),
      uniqueIndex('library_shares_live_email').on(table.libraryId, table.email).where(live),
      index('library_shares_newest_first').on(table.libraryId, table.createdAt, table.id),
      index('library_shares_of_account').on(table.targetUserId).where(live),
      index('library_shares_of_email').on(table.email).where(live),
      check('library_shares_access_type', isOneOf(table.accessType, accessTypes)),
      check('library_shares_invite_status', isOneOf(table.inviteStatus, inviteStatuses)),
      check('library_shares_invitee', sql`${table.targetUserId} is not null or ${table.email} is not null`),
      check('library_shares_email_lower_case', sql`${table.email} = lower(${table.email})`),
      check(
        'library_shares_revoked',
        sql`(${table.inviteStatus} = 'revoked') = (${table.accessType} = 'revoked')
          and (${table.inviteStatus} = 'revoked') = (${table.revokedAt} is not null)`,
      ),
      check(
        'library_shares_responded',
        sql`${table.inviteStatus} = 'revoked' or (${table.inviteStatus} = 'pending') = (${table.respondedAt} is null)`,
      ),
    ]
  },
)
