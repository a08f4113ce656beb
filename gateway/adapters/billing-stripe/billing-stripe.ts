import type { BillingPort } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/billing.ts'
import { createCallRunner, createStripeClient, type StripeClient } from './client.ts'
import { parseBillingEvent } from './events.ts'
import { createPageCalls } from './pages.ts'
import { createSubscriptionCalls } from './subscriptions.ts'

interface BillingOptions {
  /** If undefined, checkout is not available. */
  readonly secretKey: string | undefined
  /** Defaults to Stripe's public API. */
  readonly apiBase: string | undefined
  readonly plans: readonly Plan[]
  /** The origin of the web app to which hosted pages return. A function, because the default is known after listening. */
  readonly appOrigin: () => string
}

/** Billing through Stripe's API. The port uses plan ids; price ids are used only in this adapter. */
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
