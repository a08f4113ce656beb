import * as z from 'zod'

/**
 * `suppressed`: not sent, because an earlier email to this address bounced or was reported as spam. `complained`: the
 * recipient reported it as spam.
 */
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
