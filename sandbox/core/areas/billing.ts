import * as z from 'zod'
import type { Actor } from '../authenticate.ts'
import type { Area } from '../create-app.ts'
import type { Queryable } from '../database.ts'
import { exactLine, line, readBody } from '../input.ts'
import { Refusal } from '../refusal.ts'
import { actorOf } from '../sign-in.ts'

interface Subscription {
  readonly planId: string
  readonly status: string
  readonly billingCustomerId: string | null
  readonly billingSubscriptionId: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly currentPeriodEnd: Date | null
}

const none: Subscription = {
  planId: 'free',
  status: 'free',
  billingCustomerId: null,
  billingSubscriptionId: null,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: null,
}

const liveStatuses = ['active', 'trialing', 'past_due', 'unpaid']

// To a browser `//host` and `/\host` are another origin.
const returnPath = exactLine(1, 2048).refine(
  (path) => /^\/(?!\/)[^\\]*$/.test(path),
  'must start with one slash and hold no backslash',
)
const PortalRequest = z.strictObject({ returnPath })
const PlanRequest = z.strictObject({ planId: line(1, 100), returnPath })

const findSubscription = async (sql: Queryable, { accountId }: Actor) => {
  const [row] = await sql<Subscription[]>`
    select plan_id, status, billing_customer_id, billing_subscription_id, cancel_at_period_end, current_period_end
    from subscriptions where account_id = ${accountId}`
  return row ?? none
}

/** What is known of subscriptions without the provider. This core has no way to it, so it changes none. */
export const billing: Area = (app, { sql, plans }) => {
  app.get('/v1/billing/status', async (request) => {
    const subscription = await findSubscription(sql, actorOf(request))
    const { planId, status, billingCustomerId, billingSubscriptionId } = subscription
    return {
      customerConfigured: billingCustomerId !== null,
      planId,
      status,
      ...(billingCustomerId !== null && { billingCustomerId }),
      ...(billingSubscriptionId !== null && { billingSubscriptionId }),
      availablePlanIds: plans.filter((plan) => plan.priceId).map((plan) => plan.id),
      cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
      currentPeriodEnd: subscription.currentPeriodEnd,
    }
  })

  for (const [action, body] of [
    ['checkout', PlanRequest],
    ['change-plan', PlanRequest],
    ['portal', PortalRequest],
  ] as const)
    app.post(`/v1/billing/${action}`, async (request) => {
      readBody(request, body)
      throw new Refusal('billing_configuration_error')
    })

  for (const [action, wanted] of [
    ['cancel', true],
    ['resume', false],
  ] as const)
    app.post(`/v1/billing/${action}`, async (request) => {
      const { status, cancelAtPeriodEnd, currentPeriodEnd } = await findSubscription(sql, actorOf(request))
      if (!liveStatuses.includes(status))
        throw new Refusal('billing_bad_input', { reason: 'no_subscription' })
      if (cancelAtPeriodEnd !== wanted) throw new Refusal('billing_configuration_error')
      return { status, cancelAtPeriodEnd, currentPeriodEnd }
    })
}
