import { createHmac } from 'node:crypto'
import type { ProviderEvent } from '../deliveries.ts'
import { nowS, providerId } from './billing-store.ts'
import type { BillingChange } from './subscription-lifecycle.ts'

/** The header in which the provider signs a delivery. */
export const signEvent = (secret: string, { body }: ProviderEvent) => {
  const moment = nowS()
  const signature = createHmac('sha256', secret).update(`${moment}.${body}`).digest('hex')
  return { 'billing-signature': `t=${moment},v1=${signature}` }
}

/** What happened, with an id and a time of its own. */
export const createEvent = ({ type, object }: BillingChange): ProviderEvent => {
  const id = providerId('evt')
  const event = { id, object: 'event', type, created: nowS(), livemode: false, data: { object } }
  return { id, type, body: JSON.stringify(event) }
}
