import type { DeliveryStatus } from '#contracts/shared/delivery-status.ts'
import { parse } from '#contracts/shared/parse.ts'
import { EmailEvent } from '#contracts/shared/provider-events.ts'
import { email } from '#contracts/webhooks.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  adoptEmailOfInvitation,
  insertEmailEvent,
  lockPackInvitationOfEmail,
  recordInvitationEvent,
  updateLockedInvitation,
} from '#db/queries/packs/pack-invitations.ts'
import { defineWebhook } from '../define-webhook.ts'

// A status replaces those of lower rank, in whatever order the events arrive. A complaint is final.
const ranks: Readonly<Record<DeliveryStatus, number>> = {
  queued: 0,
  sent: 10,
  delivery_delayed: 20,
  failed: 25,
  suppressed: 26,
  delivered: 30,
  opened: 40,
  clicked: 50,
  bounced: 70,
  complained: 80,
}

const statusOfEvent: Readonly<Record<string, DeliveryStatus>> = {
  'email.sent': 'sent',
  'email.delivered': 'delivered',
  'email.delivery_delayed': 'delivery_delayed',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
  'email.opened': 'opened',
  'email.clicked': 'clicked',
  'email.failed': 'failed',
  'email.suppressed': 'suppressed',
}

const toDeliveryStatus = (type: string): DeliveryStatus | null =>
  Object.hasOwn(statusOfEvent, type) ? (statusOfEvent[type] ?? null) : null

const hasHigherRank = (reported: DeliveryStatus, stored: DeliveryStatus) => ranks[reported] > ranks[stored]

// The job worker may have been killed after it sent an email but before it stored the email's id. The event comes only
// once, so the reference in it then identifies the invitation.
const lockInvitation = async (tx: Queryable, { email_id: emailId, tags: reference }: EmailEvent['data']) => {
  const known = await lockPackInvitationOfEmail(tx, emailId)
  if (known || reference === undefined) return known
  const adopted = await adoptEmailOfInvitation(tx, reference, emailId)
  // The worker may have stored the id since the first look-up, for example while this transaction waited for it.
  return adopted ?? lockPackInvitationOfEmail(tx, emailId)
}

const recordEvent = async (
  tx: Queryable,
  deliveryId: string,
  event: EmailEvent,
  reported: DeliveryStatus,
) => {
  const invitation = await lockInvitation(tx, event.data)
  // The event is not recorded. If the invitation is committed before a repeated delivery, that delivery still counts.
  if (!invitation) return { deliveryUpdated: false, reason: 'delivery_not_found' } as const
  const { id: invitationId, status } = invitation
  const isNew = await insertEmailEvent(tx, { id: deliveryId, invitationId })
  if (!isNew) return { deliveryUpdated: false, status, reason: 'duplicate' } as const
  await recordInvitationEvent(tx, { invitationId, status: reported, occurredAt: event.created_at })
  if (!hasHigherRank(reported, status))
    return { deliveryUpdated: false, status, reason: 'no_change' } as const
  await updateLockedInvitation(tx, invitationId, reported)
  return { deliveryUpdated: true, status: reported } as const
}

export const receiveEmailEvent = defineWebhook(email, async (payload, { db }, header) => {
  const { type } = payload
  const reported = toDeliveryStatus(type)
  if (!reported) return { received: true, deliveryUpdated: false, type, reason: 'ignored_event' } as const
  const event = parse(EmailEvent, payload)
  // The signature covers this header, so it was present and valid.
  const deliveryId = header('webhook-id') ?? ''
  const result = await db.tx((tx) => recordEvent(tx, deliveryId, event, reported))
  return { received: true as const, type, ...result }
})
