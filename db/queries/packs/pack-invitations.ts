import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { packInvitations } from '../../schema/packs.ts'
import { emailEvents, packInvitationEvents } from '../../schema/webhooks.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

const range = newestFirst(packInvitations.createdAt, packInvitations.id)

const invitationsOfPack = preparedRead((db) =>
  db
    .select()
    .from(packInvitations)
    .where(and(eq(packInvitations.packId, sql.placeholder('packId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('invitations_of_pack'),
)

export const listInvitationsOfPack = (db: Reader, packId: string, page: PageRange) =>
  invitationsOfPack(db).execute({ packId, ...rangeValues(page) })

type NewPackInvitation = Pick<typeof packInvitations.$inferSelect, 'packId' | 'email'>

export const insertPackInvitation = async <I extends NewPackInvitation>(
  tx: Queryable,
  invitation: EveryKeyOf<NewPackInvitation, I>,
) =>
  requireRow(
    await tx
      .insert(packInvitations)
      .values({
        id: newId(),
        createdAt: statementTimestamp,
        updatedAt: statementTimestamp,
        status: 'queued',
        providerEmailId: null,
        ...invitation,
      })
      .returning(),
  )

const isUnsent = (invitationId: string) =>
  and(
    eq(packInvitations.id, invitationId),
    eq(packInvitations.status, 'queued'),
    isNull(packInvitations.providerEmailId),
  )

export const findUnsentInvitation = async (db: Reader, invitationId: string) =>
  firstRow(await db.select().from(packInvitations).where(isUnsent(invitationId)))

export const storeProviderEmailId = async (tx: Queryable, invitationId: string, providerEmailId: string) => {
  await tx
    .update(packInvitations)
    .set({ providerEmailId, updatedAt: statementTimestamp })
    .where(isUnsent(invitationId))
}

/** No delivery event can change this status later. */
export const endUnsentInvitation = async (tx: Queryable, invitationId: string, status: 'sent' | 'failed') => {
  await tx
    .update(packInvitations)
    .set({ status, updatedAt: statementTimestamp })
    .where(isUnsent(invitationId))
}

export const reopenUnsentInvitation = async (tx: Queryable, invitationId: string) => {
  const reopened = await tx
    .update(packInvitations)
    .set({ status: 'queued', updatedAt: statementTimestamp })
    .where(
      and(
        eq(packInvitations.id, invitationId),
        inArray(packInvitations.status, ['queued', 'failed']),
        isNull(packInvitations.providerEmailId),
      ),
    )
    .returning({ id: packInvitations.id })
  return reopened.length > 0
}

export type StoredDeliveryStatus = (typeof packInvitations.$inferSelect)['status']

export const lockPackInvitationOfEmail = async (tx: Queryable, providerEmailId: string) =>
  firstRow(
    await tx
      .select({ id: packInvitations.id, status: packInvitations.status })
      .from(packInvitations)
      .where(eq(packInvitations.providerEmailId, providerEmailId))
      .for('update'),
  )

export const adoptEmailOfInvitation = async (tx: Queryable, invitationId: string, providerEmailId: string) =>
  firstRow(
    await tx
      .update(packInvitations)
      .set({ providerEmailId, updatedAt: statementTimestamp })
      .where(and(eq(packInvitations.id, invitationId), isNull(packInvitations.providerEmailId)))
      .returning({ id: packInvitations.id, status: packInvitations.status }),
  )

export const insertEmailEvent = async (tx: Queryable, event: typeof emailEvents.$inferInsert) => {
  const inserted = await tx
    .insert(emailEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ id: emailEvents.id })
  return inserted.length > 0
}

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
