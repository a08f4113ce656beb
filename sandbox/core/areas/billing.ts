import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { BillingProvider } from '../billing-provider.ts'
import { CoreError } from '../core-error.ts'
import { type Area, requestOrigin } from '../create-app.ts'
import { exactLine, line, readBody } from '../input.ts'
import type { ProviderSubscription } from '../provider-subscription.ts'
import { actorOf } from '../sign-in.ts'
import { createSubscriptionCalls, noSubscription } from '../subscription-calls.ts'
import { cancellationOf, findSubscription } from '../subscriptions.ts'

// To a browser `//host` and `/\host` are another origin.
const returnPath = exactLine(1, 2048).refine(
  (path) => /^\/(?!\/)[^\\]*$/.test(path),
  'must start with one slash and hold no backslash',
)
const PortalRequest = z.strictObject({ returnPath })
const PlanRequest = z.strictObject({ planId: line(1, 100), returnPath })
type PlanRequest = z.output<typeof PlanRequest>

/** What an account pays for. All of it is the provider's to decide; what it answers is kept at once. */
export const billing: Area = (app, { sql, plans, billing: configured, appOrigin, publicBaseUrl }) => {
  const { forSale, requireProvider, requireSeller, priceOf, customerOf, findLive, keepChanged } =
    createSubscriptionCalls({
      sql,
      plans,
      provider: configured,
    })

  const returnUrl = (request: FastifyRequest, path: string) =>
    `${appOrigin ?? publicBaseUrl ?? requestOrigin(request)}${path}`

  const openCheckout = async (
    request: FastifyRequest,
    { planId, returnPath: path }: PlanRequest,
    customerId: string,
  ) => {
    const { accountId } = actorOf(request)
    const { id: sessionId, url } = await requireProvider().openCheckout({
      accountId,
      customerId,
      priceId: priceOf(planId),
      returnUrl: returnUrl(request, path),
    })
    return { sessionId, url }
  }

  app.get('/v1/billing/status', async (request) => {
    const subscription = await findSubscription(sql, actorOf(request).accountId)
    const { planId, status, billingCustomerId, billingSubscriptionId } = subscription
    return {
      customerConfigured: billingCustomerId !== null,
      planId,
      status,
      ...(billingCustomerId !== null && { billingCustomerId }),
      ...(billingSubscriptionId !== null && { billingSubscriptionId }),
      availablePlanIds: forSale.map((plan) => plan.id),
      cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
      currentPeriodEnd: subscription.currentPeriodEnd,
    }
  })

  app.post('/v1/billing/checkout', async (request, reply) => {
    const actor = actorOf(request)
    const order = readBody(request, PlanRequest)
    const provider = requireSeller()
    priceOf(order.planId)
    const customerId = await customerOf(provider, actor)
    if (await findLive(provider, actor.accountId, customerId))
      throw new CoreError('billing_bad_input', { reason: 'already_subscribed' })
    return reply.code(201).send(await openCheckout(request, order, customerId))
  })

  app.post('/v1/billing/portal', async (request) => {
    const { accountId } = actorOf(request)
    const { returnPath: path } = readBody(request, PortalRequest)
    const provider = requireProvider()
    const { billingCustomerId } = await findSubscription(sql, accountId)
    if (billingCustomerId === null) throw new CoreError('billing_bad_input', { reason: 'no_customer' })
    const { id: sessionId, url } = await provider.openPortal(billingCustomerId, returnUrl(request, path))
    return { sessionId, url }
  })

  app.post('/v1/billing/change-plan', async (request) => {
    const actor = actorOf(request)
    const order = readBody(request, PlanRequest)
    const [provider, priceId] = [requireSeller(), priceOf(order.planId)]
    const customerId = await customerOf(provider, actor)
    const found = await findLive(provider, actor.accountId, customerId)
    if (!found) return { mode: 'checkout', ...(await openCheckout(request, order, customerId)) }
    if (found.live.priceId !== priceId)
      await keepChanged(provider, actor.accountId, found, await provider.switchPrice(found.live, priceId))
    return { mode: 'switched', planId: order.planId }
  })

  for (const { action, wanted, write } of [
    {
      action: 'cancel',
      wanted: true,
      write: (provider: BillingProvider, { id }: ProviderSubscription) => provider.cancel(id),
    },
    {
      action: 'resume',
      wanted: false,
      write: (provider: BillingProvider, live: ProviderSubscription) => provider.resume(live),
    },
  ])
    app.post(`/v1/billing/${action}`, async (request) => {
      const { accountId } = actorOf(request)
      const { billingCustomerId } = await findSubscription(sql, accountId)
      if (billingCustomerId === null) throw noSubscription()
      const provider = requireProvider()
      const found = await findLive(provider, accountId, billingCustomerId)
      if (!found) throw noSubscription()
      if (found.kept.cancelAtPeriodEnd === wanted) return cancellationOf(found.kept)
      const changed = await write(provider, found.live)
      return cancellationOf(await keepChanged(provider, accountId, found, changed))
    })
}
