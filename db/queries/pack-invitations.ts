import { eq, sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { packInvitations } from '../schema/packs.ts'
import { emailEvents, packInvitationEvents } from '../schema/webhooks.ts'
import { statementTimestamp } from './statement-timestamp.ts'

export type StoredDeliveryStatus = (typeof packInvitations.$inferSelect)['status']

/** Locks the invitation that was sent as this e-mail until the transaction ends. */
export const lockPackInvitationOfEmail = async (tx: Queryable, providerEmailId: string) => {
  const [invitation] = await tx
    .select({ id: packInvitations.id, status: packInvitations.status })
    .from(packInvitations)
    .where(eq(packInvitations.providerEmailId, providerEmailId))
    .for('update')
  return invitation ?? null
}

/** Returns false if this event is already stored. */
export const insertEmailEvent = async (tx: Queryable, event: typeof emailEvents.$inferInsert) => {
  const inserted = await tx
    .insert(emailEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ id: emailEvents.id })
  return inserted.length > 0
}

/** Records the first time that the e-mail of a locked invitation reached a status. An earlier stored time is kept. */
export const recordInvitationEvent = async (
  tx: Queryable,
  event: {
    readonly invitationId: string
    readonly status: StoredDeliveryStatus
    readonly occurredAt: string
  },
) => {
  const { occurredAt: firstSeenAt, ...key } = event
  await tx
    .insert(packInvitationEvents)
    .values({ ...key, firstSeenAt })
    .onConflictDoUpdate({
      target: [packInvitationEvents.invitationId, packInvitationEvents.status],
      set: { firstSeenAt: sql`least(${packInvitationEvents.firstSeenAt}, excluded.first_seen_at)` },
    })
}

export const updateLockedInvitation = async (
  tx: Queryable,
  invitationId: string,
  status: StoredDeliveryStatus,
) => {
  await tx
    .update(packInvitations)
    .set({ status, updatedAt: statementTimestamp })
    .where(eq(packInvitations.id, invitationId))
}
