import * as z from 'zod'

/** How far the e-mail of an invitation has come. */
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
