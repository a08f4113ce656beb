import type { DeliveryStatus } from '#contracts/shared/delivery-status.ts'
import { parse } from '#contracts/shared/parse.ts'
import { EmailEvent } from '#contracts/shared/provider-events.ts'
import { email } from '#contracts/webhooks.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  insertEmailEvent,
  lockPackInvitationOfEmail,
  updateLastInvitationEvent,
  updateLockedInvitation,
} from '#db/queries/pack-invitations.ts'
import { defineWebhook } from '../define-webhook.ts'
import { isFurther, toDeliveryStatus } from './delivery-status.ts'

const takeIn = async (tx: Queryable, deliveryId: string, event: EmailEvent, told: DeliveryStatus) => {
  const invitation = await lockPackInvitationOfEmail(tx, event.data.email_id)
  // Not noted: when it is delivered again, the invitation may be there.
  if (!invitation) return { deliveryUpdated: false, reason: 'delivery_not_found' } as const
  const { id: invitationId, status } = invitation
  const isNew = await insertEmailEvent(tx, { id: deliveryId, invitationId })
  if (!isNew) return { deliveryUpdated: false, status, reason: 'duplicate' } as const
  await updateLastInvitationEvent(tx, { invitationId, status: told, occurredAt: event.created_at })
  if (!isFurther(told, status)) return { deliveryUpdated: false, status, reason: 'no_change' } as const
  await updateLockedInvitation(tx, invitationId, told)
  return { deliveryUpdated: true, status: told } as const
}

export const receiveEmailEvent = defineWebhook(email, {
  requireSignature: (header, ports) => ports.email.requireSignature(header),
  handle: async (payload, { db }, header) => {
    const { type } = payload
    const told = toDeliveryStatus(type)
    if (!told) return { received: true, deliveryUpdated: false, type, reason: 'ignored_event' } as const
    const event = parse(EmailEvent, payload)
    // Part of what was signed.
    const deliveryId = header('webhook-id') ?? ''
    const taken = await db.tx((tx) => takeIn(tx, deliveryId, event, told))
    return { received: true as const, type, ...taken }
  },
})
