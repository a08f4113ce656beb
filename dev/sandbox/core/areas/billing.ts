import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { BillingProvider } from '../billing-provider.ts'
import { CoreError } from '../core-error.ts'
import { type RegisterRoutes, requestOrigin } from '../create-app.ts'
import { exactLine, readBody, singleLineText } from '../input.ts'
import type { ProviderSubscription } from '../provider-subscription.ts'
import { requireActor } from '../sign-in.ts'
import { createNoSubscriptionError, createSubscriptionCalls } from '../subscription-calls.ts'
import { findSubscription, toCancellation } from '../subscriptions.ts'

// Browsers would resolve `//host` and `/\host` to a different origin.
const returnPath = exactLine(1, 2048).refine(
  (path) => /^\/(?!\/)[^\\\x7f-\x9f]*$/.test(path),
  'must start with one slash and contain no backslash or control character',
)
const PortalRequest = z.strictObject({ returnPath })
const PlanRequest = z.strictObject({ planId: singleLineText(1, 100), returnPath })
type PlanRequest = z.output<typeof PlanRequest>

/**
 * The routes for an account's subscription. The provider makes each change, and the core immediately stores the
 * provider's response.
 */
export const billing: RegisterRoutes = (
  app,
  { sql, plans, billing: configured, appOrigin, publicBaseUrl },
) => {
  const {
    forSale,
    requireProvider,
    requireProviderWithPlans,
    requirePriceId,
    findOrCreateCustomer,
    findLive,
    saveChange,
  } = createSubscriptionCalls({
    sql,
    plans,
    provider: configured,
  })

  const buildReturnUrl = (request: FastifyRequest, path: string) =>
    `${appOrigin ?? publicBaseUrl ?? requestOrigin(request)}${path}`

  const openCheckout = async (
    request: FastifyRequest,
    { planId, returnPath: path }: PlanRequest,
    customerId: string,
  ) => {
    const { accountId } = requireActor(request)
    const { id: sessionId, url } = await requireProvider().openCheckout({
      accountId,
      customerId,
      priceId: requirePriceId(planId),
      returnUrl: buildReturnUrl(request, path),
    })
    return { sessionId, url }
  }

  app.get('/v1/billing/status', async (request) => {
    const subscription = await findSubscription(sql, requireActor(request).accountId)
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
    const actor = requireActor(request)
    const order = readBody(request, PlanRequest)
    const provider = requireProviderWithPlans()
    requirePriceId(order.planId)
    const customerId = await findOrCreateCustomer(provider, actor)
    if (await findLive(provider, actor.accountId, customerId))
      throw new CoreError('billing_bad_input', { reason: 'already_subscribed' })
    return reply.code(201).send(await openCheckout(request, order, customerId))
  })

  app.post('/v1/billing/portal', async (request) => {
    const { accountId } = requireActor(request)
    const { returnPath: path } = readBody(request, PortalRequest)
    const provider = requireProvider()
    const { billingCustomerId } = await findSubscription(sql, accountId)
    if (billingCustomerId === null) throw new CoreError('billing_bad_input', { reason: 'no_customer' })
    const { id: sessionId, url } = await provider.openPortal(billingCustomerId, buildReturnUrl(request, path))
    return { sessionId, url }
  })

  app.post('/v1/billing/change-plan', async (request) => {
    const actor = requireActor(request)
    const order = readBody(request, PlanRequest)
    const [provider, priceId] = [requireProviderWithPlans(), requirePriceId(order.planId)]
    const customerId = await findOrCreateCustomer(provider, actor)
    const found = await findLive(provider, actor.accountId, customerId)
    if (!found) return { mode: 'checkout', ...(await openCheckout(request, order, customerId)) }
    if (found.live.priceId !== priceId)
      await saveChange(provider, actor.accountId, found, await provider.switchPrice(found.live, priceId))
    return { mode: 'switched', planId: order.planId }
  })

  for (const { action, cancelAtPeriodEnd, write } of [
    {
      action: 'cancel',
      cancelAtPeriodEnd: true,
      write: (provider: BillingProvider, { id }: ProviderSubscription) => provider.cancel(id),
    },
    {
      action: 'resume',
      cancelAtPeriodEnd: false,
      write: (provider: BillingProvider, live: ProviderSubscription) => provider.resume(live),
    },
  ])
    app.post(`/v1/billing/${action}`, async (request) => {
      const { accountId } = requireActor(request)
      const { billingCustomerId } = await findSubscription(sql, accountId)
      if (billingCustomerId === null) throw createNoSubscriptionError()
      const provider = requireProvider()
      const found = await findLive(provider, accountId, billingCustomerId)
      if (!found) throw createNoSubscriptionError()
      if (found.stored.cancelAtPeriodEnd === cancelAtPeriodEnd) return toCancellation(found.stored)
      const changed = await write(provider, found.live)
      return toCancellation(await saveChange(provider, accountId, found, changed))
    })
}
