import { eq, sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { packInvitations } from '../schema/packs.ts'
import { emailEvents, packInvitationEvents } from '../schema/webhooks.ts'
import { changedNow } from './changed-now.ts'

export type DeliveryStatus = (typeof packInvitations.$inferSelect)['status']

/** The invitation that went out as this e-mail, kept from any other change until the transaction ends. */
export const lockPackInvitationOfEmail = async (tx: Queryable, providerEmailId: string) => {
  const [invitation] = await tx
    .select({ id: packInvitations.id, status: packInvitations.status })
    .from(packInvitations)
    .where(eq(packInvitations.providerEmailId, providerEmailId))
    .for('update')
  return invitation ?? null
}

/** False when this delivery was taken in before. */
export const insertEmailEvent = async (tx: Queryable, event: typeof emailEvents.$inferInsert) => {
  const inserted = await tx
    .insert(emailEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ id: emailEvents.id })
  return inserted.length > 0
}

/** Notes when something happened to the e-mail of a locked invitation; the earliest time stays. */
export const updateLastInvitationEvent = async (
  tx: Queryable,
  event: { readonly invitationId: string; readonly status: DeliveryStatus; readonly occurredAt: string },
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

export const updateLockedInvitation = async (tx: Queryable, invitationId: string, status: DeliveryStatus) => {
  await tx
    .update(packInvitations)
    .set({ status, updatedAt: changedNow })
    .where(eq(packInvitations.id, invitationId))
}
