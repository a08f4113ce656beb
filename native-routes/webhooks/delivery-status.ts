import type { DeliveryStatus } from '#contracts/shared/delivery-status.ts'

// The furthest that an e-mail has come, whatever order it is told in. A complaint outlives everything.
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

/** The status that an event tells of; null for an event of another kind. */
export const toDeliveryStatus = (type: string): DeliveryStatus | null =>
  Object.hasOwn(statusOfEvent, type) ? (statusOfEvent[type] ?? null) : null

/** Whether an e-mail that is known to have come as far as `known` has come further. */
export const isFurther = (told: DeliveryStatus, known: DeliveryStatus) => ranks[told] > ranks[known]
