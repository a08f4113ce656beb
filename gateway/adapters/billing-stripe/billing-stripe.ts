import type { BillingPort } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/billing.ts'
import { createCallRunner, createStripeClient, type StripeClient } from './client.ts'
import { parseBillingEvent } from './events.ts'
import { createPageCalls } from './pages.ts'
import { createSubscriptionCalls } from './subscriptions.ts'

interface BillingOptions {
  /** Checkout is unavailable without it. */
  readonly secretKey: string | undefined
  readonly apiBase: string | undefined
  readonly plans: readonly Plan[]
  /**
   * Where hosted pages send people back to. A function, because the default is known only once the gateway is
   * listening.
   */
  readonly appOrigin: () => string
}

/** Implements billing with Stripe's API. Callers use plan ids; only this adapter knows price ids. */
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
