import { boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { id, oneOf, timestamp } from './columns.ts'
import { deliveryStatuses, packInvitations } from './packs.ts'

const linkKinds = ['track', 'pack'] as const

/**
 * What the link provider told of a share link. Of the visitor only the place, the kind of device and the domain they
 * came from are kept; it outlives the link.
 */
export const linkEvents = pgTable(
  'link_events',
  {
    providerEventId: id(),
    eventType: text().notNull(),
    occurredAt: timestamp().notNull(),
    ownerId: text().notNull(),
    linkKind: text({ enum: linkKinds }).notNull(),
    linkId: text().notNull(),
    /** The track or pack that the link leads to. */
    trackId: text(),
    packId: text(),
    country: text(),
    region: text(),
    city: text(),
    continent: text(),
    device: text(),
    refererDomain: text(),
    qr: boolean().notNull(),
  },
  (table) => [
    index('link_events_of_owner').on(table.ownerId, table.occurredAt),
    check('link_events_kind', oneOf(table.linkKind, linkKinds)),
  ],
)

const invitationId = () =>
  text()
    .notNull()
    .references(() => packInvitations.id, { onDelete: 'cascade' })

/** The deliveries of the e-mail provider that were taken in, by the ids they bear. */
export const emailEvents = pgTable('email_events', { id: id(), invitationId: invitationId() })

/** When each thing that can happen to an invitation's e-mail first happened, whatever its status is now. */
export const packInvitationEvents = pgTable(
  'pack_invitation_events',
  {
    invitationId: invitationId(),
    status: text({ enum: deliveryStatuses }).notNull(),
    firstSeenAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.invitationId, table.status] }),
    check('pack_invitation_events_status', oneOf(table.status, deliveryStatuses)),
  ],
)
