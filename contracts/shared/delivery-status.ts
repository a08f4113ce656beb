import * as z from 'zod'

/** The delivery status of an invitation e-mail. */
export const DeliveryStatus = z.enum([
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
])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>
