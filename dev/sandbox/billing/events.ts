import { createHmac } from 'node:crypto'
import type { ProviderEvent } from '../deliveries.ts'
import { createProviderId, nowS } from './billing-store.ts'
import type { BillingChange } from './subscription-lifecycle.ts'

export const signEvent = (secret: string, { body }: ProviderEvent) => {
  const timestamp = nowS()
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'billing-signature': `t=${timestamp},v1=${signature}` }
}

export const createEvent = ({ type, object }: BillingChange): ProviderEvent => {
  const id = createProviderId('evt')
  const event = { id, object: 'event', type, created: nowS(), livemode: false, data: { object } }
  return { id, type, body: JSON.stringify(event) }
}
