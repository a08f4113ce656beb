import { describe, expect, it } from 'vitest'
import { buyPlan, captureProviderWrites, payCheckout } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

describe('billing.change-plan', () => {
  const gateway = startTestGateway({ billing: true })

  const change = (account: TestAccount, planId: string) =>
    account.post('/v1/billing/change-plan', { planId, returnPath: '/plans' })
  const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body
  const subscription = (id: string) => gateway.billing.store.subscriptions[id]!

  it('switches a subscription in place', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id } = await buyPlan(gateway, account, 'starter')
    const { itemId } = subscription(id)
    const response = await change(account, 'pro')
    expect([response.status, response.body]).toEqual([200, { mode: 'switched', planId: 'pro' }])
    expect(subscription(id)).toMatchObject({ priceId: 'price_pro', itemId, status: 'active' })
    const mine = Object.values(gateway.billing.store.subscriptions).filter(
      ({ metadata }) => metadata.account_id === account.accountId,
    )
    expect(mine).toHaveLength(1)
  })

  it('shows the new plan before the webhook is delivered', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account, 'starter')
    gateway.billing.deliveries.setEndpoint(null)
    await change(account, 'pro')
    const { planId } = await status(account)
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    expect(planId).toBe('pro')
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('sends the provider no change if the account already has the plan', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account, 'pro')
    const writes = await captureProviderWrites(gateway, async () => {
      expect((await change(account, 'pro')).body).toEqual({ mode: 'switched', planId: 'pro' })
    })
    expect(writes).toEqual([])
  })

  it('preserves a pending cancellation', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account, 'starter')
    await account.post('/v1/billing/cancel')
    await change(account, 'pro')
    await gateway.billing.deliveries.waitUntilIdle()
    expect(await status(account)).toMatchObject({ planId: 'pro', cancelAtPeriodEnd: true })
  })

  it.each(['trialing', 'past_due', 'unpaid', 'paused'])(
    'switches a subscription that is %s',
    async (state) => {
      const account = await gateway.signUp({ plan: 'free' })
      const { billingSubscriptionId: id } = await buyPlan(gateway, account, 'starter')
      gateway.billing.lifecycle.change(id, { status: state })
      await gateway.billing.deliveries.waitUntilIdle()
      expect((await change(account, 'pro')).body).toEqual({ mode: 'switched', planId: 'pro' })
    },
  )

  it.each(['free', 'canceled', 'incomplete', 'incomplete_expired'])(
    'starts a checkout for an account with the status %s',
    async (state) => {
      const account = await gateway.signUp({ plan: 'free' })
      if (state !== 'free') {
        await change(account, 'starter')
        const { billingCustomerId: customer } = await status(account)
        const metadata = { account_id: account.accountId }
        gateway.billing.lifecycle.subscribe({ customer, priceId: 'price_starter', metadata }, state)
        await gateway.billing.deliveries.waitUntilIdle()
      }
      const { status: code, body } = await change(account, 'pro')
      expect(code).toBe(200)
      expect(body).toEqual({ mode: 'checkout', sessionId: expect.any(String), url: expect.any(String) })
      await payCheckout(gateway, body)
      expect(await status(account)).toMatchObject({ status: 'active', planId: 'pro' })
    },
  )

  it("leaves the account with the provider's plan after concurrent changes", async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id } = await buyPlan(gateway, account, 'starter')
    await Promise.all([change(account, 'pro'), change(account, 'starter'), change(account, 'pro')])
    await gateway.billing.deliveries.waitUntilIdle()
    expect(`price_${(await status(account)).planId}`).toBe(subscription(id).priceId)
  })

  it('returns 400 for a plan that is not for sale', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buyPlan(gateway, account)
    const response = await change(account, 'studio')
    expect([response.status, response.body]).toEqual([
      400,
      errorBody('billing_bad_input', { availablePlanIds: ['starter', 'pro'] }),
    ])
  })
})
