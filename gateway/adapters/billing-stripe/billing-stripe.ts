import type { BillingPort } from '#native-routes/billing/ports.ts'
import type { BillingOptions } from '../../settings/billing.ts'
import { createCallRunner, createStripeClient, type StripeClient } from './client.ts'
import { parseBillingEvent } from './events.ts'
import { createPageCalls } from './pages.ts'
import { createSubscriptionCalls } from './subscriptions.ts'

/** Callers use plan ids; only this adapter knows price ids. */
export const createStripeBilling = (options: BillingOptions): BillingPort => {
  const { apiBase, plans } = options
  let connected: { readonly secretKey: string; readonly client: StripeClient } | undefined
  return {
    availablePlanIds: plans.filter(({ priceId }) => priceId !== null).map(({ id }) => id),
    connect(requestSecret) {
      const { secretKey } = options
      if (secretKey === undefined) return null
      if (connected?.secretKey !== secretKey)
        connected = { secretKey, client: createStripeClient(secretKey, apiBase) }
      const { client } = connected
      const runCall = createCallRunner(requestSecret)
      return {
        ...createPageCalls(client, runCall, options),
        ...createSubscriptionCalls(client, runCall, plans),
      }
    },
    parseEvent: (event) => parseBillingEvent(event, plans),
  }
}
