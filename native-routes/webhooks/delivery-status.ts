import type { DeliveryStatus } from '#contracts/shared/delivery-status.ts'

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

/** Returns the delivery status that events of this type report; null if they report none. */
export const toDeliveryStatus = (type: string): DeliveryStatus | null =>
  Object.hasOwn(statusOfEvent, type) ? (statusOfEvent[type] ?? null) : null

export const hasHigherRank = (reported: DeliveryStatus, stored: DeliveryStatus) =>
  ranks[reported] > ranks[stored]
