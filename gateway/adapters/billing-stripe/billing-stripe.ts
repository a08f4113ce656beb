import type Stripe from 'stripe'
import type { BillingPort } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/plans.ts'
import { createTimeoutBudget, openClient } from './client.ts'
import { readBillingEvent, requireBillingSignature } from './events.ts'
import { createPageCalls } from './pages.ts'
import { createSubscriptionCalls } from './subscriptions.ts'

interface BillingOptions {
  /** Unset: nothing can be bought. */
  readonly secretKey: string | undefined
  /** Unset: the provider's own. */
  readonly apiBase: string | undefined
  /** Unset: every delivery is refused. */
  readonly webhookSecret: string | undefined
  readonly plans: readonly Plan[]
  /** The origin of the app that hosted pages lead back to. */
  readonly appOrigin: () => string
}

/** Billing by Stripe, through its own client. Its prices stay in here: to everybody else there are plans. */
export const createStripeBilling = (options: BillingOptions): BillingPort => {
  const { secretKey, apiBase, webhookSecret, plans } = options
  let client: Stripe | undefined
  return {
    availablePlanIds: plans.filter(({ priceId }) => priceId !== null).map(({ id }) => id),
    connect() {
      if (secretKey === undefined) return null
      client ??= openClient(secretKey, apiBase)
      const ask = createTimeoutBudget()
      return { ...createPageCalls(client, ask, options), ...createSubscriptionCalls(client, ask, plans) }
    },
    requireSignature: (header) => requireBillingSignature(header, webhookSecret, new Date()),
    read: (event) => readBillingEvent(event, plans),
  }
}
