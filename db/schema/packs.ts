import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { flag, id, isOneOf, timestamp, timestamps } from './columns.ts'
import { tracks } from './tracks.ts'

export const packs = pgTable(
  'packs',
  {
    id: id(),
    ownerId: text().notNull(),
    name: text().notNull(),
    description: text(),
    ...timestamps(),
  },
  (table) => [index('packs_newest_first').on(table.ownerId, table.createdAt, table.id)],
)

const packId = () =>
  text()
    .notNull()
    .references(() => packs.id, { onDelete: 'cascade' })

export const packTracks = pgTable(
  'pack_tracks',
  {
    packId: packId(),
    trackId: text()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    addedAt: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.packId, table.trackId] }),
    index('pack_tracks_order').on(table.packId, table.position),
    index('pack_tracks_track').on(table.trackId),
    check('pack_tracks_position', sql`${table.position} >= 0`),
  ],
)

/** A pack's share links. A link is active until it is revoked or expires. Its status is computed and never stored. */
export const packLinks = pgTable(
  'pack_links',
  {
    id: id(),
    packId: packId(),
    slug: text().notNull().unique('pack_links_slug_taken'),
    name: text(),
    accessCodeHash: text(),
    /** Visitors see the opposite, `downloadsEnabled`. */
    disableDownloads: flag(),
    expiresAt: timestamp(),
    revokedAt: timestamp(),
    ...timestamps(),
  },
  (table) => [
    index('pack_links_newest_first').on(table.packId, table.createdAt, table.id),
    check('pack_links_slug', sql`${table.slug} ~ '^[a-z0-9-]{3,64}$'`),
  ],
)

/**
 * Clients that recently gave a pack link's access code, so that the limit on wrong codes does not apply to them. The
 * key is a keyed hash of the client and the link's version. It reveals neither, and once the link changes, it admits
 * nobody.
 */
export const packLinkAdmissions = pgTable(
  'pack_link_admissions',
  {
    key: text().primaryKey(),
    expiresAt: timestamp().notNull(),
  },
  (table) => [index('pack_link_admissions_expired').on(table.expiresAt)],
)

export const invitationDeliveryStatuses = [
  'queued',
  'sent',
  'delivery_delayed',
  'delivered',
  'opened',
  'clicked',
  'failed',
  'suppressed',
  'bounced',
  'complained',
] as const

export const packInvitations = pgTable(
  'pack_invitations',
  {
    id: id(),
    packId: packId(),
    email: text().notNull(),
    status: text({ enum: invitationDeliveryStatuses }).notNull().default('queued'),
    /** The email provider's id for the message. Delivery events refer to the message by this id. */
    providerEmailId: text().unique('pack_invitations_provider_email'),
    ...timestamps(),
  },
  (table) => [
    index('pack_invitations_newest_first').on(table.packId, table.createdAt, table.id),
    check('pack_invitations_status', isOneOf(table.status, invitationDeliveryStatuses)),
  ],
)
