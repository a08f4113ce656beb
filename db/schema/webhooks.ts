import { boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp } from './columns.ts'
import { invitationDeliveryStatuses, packInvitations } from './packs.ts'

const linkKinds = ['track', 'pack'] as const

/**
 * Share link events from the link provider. The only visitor details stored are location, device type and referring
 * domain. A row remains when its link is gone.
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
    check('link_events_kind', isOneOf(table.linkKind, linkKinds)),
  ],
)

const invitationId = () =>
  text()
    .notNull()
    .references(() => packInvitations.id, { onDelete: 'cascade' })

export const emailEvents = pgTable('email_events', { id: id(), invitationId: invitationId() })

export const packInvitationEvents = pgTable(
  'pack_invitation_events',
  {
    invitationId: invitationId(),
    status: text({ enum: invitationDeliveryStatuses }).notNull(),
    firstSeenAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.invitationId, table.status] }),
    check('pack_invitation_events_status', isOneOf(table.status, invitationDeliveryStatuses)),
  ],
)
