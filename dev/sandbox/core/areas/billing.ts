import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { type Actor, requireActor } from '../authenticate.ts'
import {
  type BillingProvider,
  createBillingProvider,
  type ProviderSubscription,
} from '../billing-provider.ts'
import { CoreError } from '../core-error.ts'
import { type RegisterRoutes, requestOrigin } from '../create-app.ts'
import { exactLine, readBody, singleLineText } from '../input.ts'
import {
  findSubscription,
  isLive,
  mapProviderStatus,
  type Subscription,
  saveCustomer,
  saveSubscription,
  toCancellation,
} from '../subscriptions.ts'

// Browsers would resolve `//host` and `/\host` to a different origin.
const returnPath = exactLine(1, 2048).refine(
  (path) => /^\/(?!\/)[^\\\x7f-\x9f]*$/.test(path),
  'must start with one slash and contain no backslash or control character',
)
const PortalRequest = z.strictObject({ returnPath })
const PlanRequest = z.strictObject({ planId: singleLineText(1, 100), returnPath })
type PlanRequest = z.output<typeof PlanRequest>

interface ActiveSubscription {
  readonly live: ProviderSubscription
  readonly stored: Subscription
}

const createNoSubscriptionError = () => new CoreError('billing_bad_input', { reason: 'no_subscription' })

/**
 * The routes for an account's subscription. The provider makes each change, and the core immediately stores the
 * provider's response.
 */
export const billing: RegisterRoutes = (app, { sql, settings }) => {
  const { BILLING_PLANS: plans, APP_ORIGIN, PUBLIC_BASE_URL } = settings
  const { BILLING_API_BASE: apiBase, BILLING_SECRET_KEY: secretKey } = settings
  const configured = apiBase && secretKey ? createBillingProvider(apiBase, secretKey) : null
  const forSale = plans.filter(({ priceId }) => priceId)

  const requireProvider = (): BillingProvider => {
    if (!configured) throw new CoreError('billing_configuration_error')
    return configured
  }

  const requireProviderWithPlans = () => {
    if (forSale.length === 0) throw new CoreError('billing_configuration_error')
    return requireProvider()
  }

  const requirePriceId = (planId: string): string => {
    const { priceId } = forSale.find(({ id }) => id === planId) ?? {}
    if (!priceId) {
      const availablePlanIds = forSale.map(({ id }) => id)
      throw new CoreError('billing_bad_input', { availablePlanIds }, {}, 400)
    }
    return priceId
  }

  const findOrCreateCustomer = async (provider: BillingProvider, actor: Actor) => {
    const { accountId } = actor
    const { billingCustomerId } = await findSubscription(sql, accountId)
    if (billingCustomerId !== null) return billingCustomerId
    const verifiedEmail = actor.emailVerified ? actor.email : null
    return saveCustomer(sql, accountId, await provider.createCustomer(accountId, verifiedEmail))
  }

  /** The stored subscription can be outdated, because webhooks arrive later. */
  const findLive = async (
    provider: BillingProvider,
    accountId: string,
    customerId: string,
  ): Promise<ActiveSubscription | null> => {
    for (;;) {
      const { billingSubscriptionId, revision } = await findSubscription(sql, accountId)
      const listed = await provider.listSubscriptions(customerId)
      const live = listed.find((subscription) => isLive({ status: mapProviderStatus(subscription) }))
      const current = live ?? listed.find(({ id }) => id === billingSubscriptionId)
      if (!current) return null
      const stored = await saveSubscription(sql, plans, { accountId, revision }, current)
      if (stored) return live ? { live, stored } : null
    }
  }

  const saveChange = async (
    provider: BillingProvider,
    accountId: string,
    { stored: { revision } }: ActiveSubscription,
    changed: ProviderSubscription | null,
  ) => {
    if (!changed) throw createNoSubscriptionError()
    const stored = await saveSubscription(sql, plans, { accountId, revision }, changed)
    if (stored) return stored
    const found = await findLive(provider, accountId, changed.customerId)
    if (!found) throw createNoSubscriptionError()
    return found.stored
  }

  const buildReturnUrl = (request: FastifyRequest, path: string) =>
    `${APP_ORIGIN ?? PUBLIC_BASE_URL ?? requestOrigin(request)}${path}`

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

  for (const action of ['cancel', 'resume'] as const)
    app.post(`/v1/billing/${action}`, async (request) => {
      const { accountId } = requireActor(request)
      const { billingCustomerId } = await findSubscription(sql, accountId)
      if (billingCustomerId === null) throw createNoSubscriptionError()
      const provider = requireProvider()
      const found = await findLive(provider, accountId, billingCustomerId)
      if (!found) throw createNoSubscriptionError()
      if (found.stored.cancelAtPeriodEnd === (action === 'cancel')) return toCancellation(found.stored)
      return toCancellation(await saveChange(provider, accountId, found, await provider[action](found.live)))
    })
}
