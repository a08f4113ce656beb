import type Stripe from 'stripe'
import type { BillingPort } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/plans.ts'
import { createTimeoutBudget, openClient } from './client.ts'
import { readBillingEvent, requireBillingSignature } from './events.ts'
import { createPageCalls } from './pages.ts'
import { createSubscriptionCalls } from './subscriptions.ts'

interface BillingOptions {
  /** Undefined: nothing can be bought. */
  readonly secretKey: string | undefined
  /** Undefined: Stripe's public API. */
  readonly apiBase: string | undefined
  /** Undefined: every delivery is rejected. */
  readonly webhookSecret: string | undefined
  readonly plans: readonly Plan[]
  /** The origin of the app to which hosted pages return. */
  readonly appOrigin: () => string
}

/** Billing through Stripe's official client. Only this adapter knows prices; all other code uses plans. */
export const createStripeBilling = (options: BillingOptions): BillingPort => {
  const { secretKey, apiBase, webhookSecret, plans } = options
  let client: Stripe | undefined
  return {
    availablePlanIds: plans.filter(({ priceId }) => priceId !== null).map(({ id }) => id),
    connect() {
      if (secretKey === undefined) return null
      client ??= openClient(secretKey, apiBase)
      const budget = createTimeoutBudget()
      return {
        ...createPageCalls(client, budget, options),
        ...createSubscriptionCalls(client, budget, plans),
      }
    },
    requireSignature: (header) => requireBillingSignature(header, webhookSecret, new Date()),
    parseEvent: (event) => readBillingEvent(event, plans),
  }
}
