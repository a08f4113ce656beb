import { describe, expect, it } from 'vitest'
import { buyPlan, captureProviderWrites, payCheckout } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const pending = (account: TestAccount) => account.get('/v1/billing/status')

describe('billing.cancel and billing.resume', () => {
  const gateway = startTestGateway({ billing: true })

  const subscriber = async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id } = await buyPlan(gateway, account)
    return { account, id }
  }

  it('schedule a cancellation for the end of the period, and undo it', async () => {
    const { account, id } = await subscriber()
    const canceled = await account.post('/v1/billing/cancel')
    expect(canceled.status).toBe(200)
    expect(canceled.body).toEqual({
      status: 'active',
      cancelAtPeriodEnd: true,
      currentPeriodEnd: expect.stringMatching(/Z$/),
    })
    expect(gateway.billing.store.subscriptions[id]?.cancelAtPeriodEnd).toBe(true)
    expect((await pending(account)).body.cancelAtPeriodEnd).toBe(true)

    const resumed = await account.post('/v1/billing/resume')
    expect([resumed.status, resumed.body]).toEqual([200, { ...canceled.body, cancelAtPeriodEnd: false }])
    expect(gateway.billing.store.subscriptions[id]?.cancelAtPeriodEnd).toBe(false)
  })

  it('ignore a request body', async () => {
    const { account } = await subscriber()
    expect((await account.post('/v1/billing/cancel', '{"broken')).status).toBe(200)
  })

  it('send the provider no change if the subscription is already in the desired state', async () => {
    const { account } = await subscriber()
    const resumed = await captureProviderWrites(gateway, () => account.post('/v1/billing/resume'))
    await account.post('/v1/billing/cancel')
    const canceled = await captureProviderWrites(gateway, async () => {
      const { status, body } = await account.post('/v1/billing/cancel')
      expect([status, body.cancelAtPeriodEnd]).toEqual([200, true])
    })
    expect([resumed, canceled]).toEqual([[], []])
  })

  it('resume a subscription that is set to be cancelled on a date', async () => {
    const { account, id } = await subscriber()
    gateway.billing.lifecycle.change(id, { cancelAt: Math.floor(Date.now() / 1000) + 86_400 })
    await gateway.billing.deliveries.waitUntilIdle()
    expect((await pending(account)).body.cancelAtPeriodEnd).toBe(true)
    expect((await account.post('/v1/billing/resume')).body.cancelAtPeriodEnd).toBe(false)
    expect(gateway.billing.store.subscriptions[id]?.cancelAt).toBeNull()
  })

  it('use the provider’s state, not the stored one, until the webhook is delivered', async () => {
    const { account, id } = await subscriber()
    await account.post('/v1/billing/cancel')
    await gateway.billing.deliveries.waitUntilIdle()
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.change(id, { cancelAtPeriodEnd: false })
    const { body } = await account.post('/v1/billing/cancel')
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    expect(body.cancelAtPeriodEnd).toBe(true)
    expect(gateway.billing.store.subscriptions[id]?.cancelAtPeriodEnd).toBe(true)
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('cancel a new subscription even before its webhook is delivered', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { body } = await account.post('/v1/billing/checkout', { planId: 'pro', returnPath: '/' })
    gateway.billing.deliveries.setEndpoint(null)
    await payCheckout(gateway, body)
    const canceled = await account.post('/v1/billing/cancel')
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    expect(canceled.body).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('return 200 to concurrent requests that find a second live subscription', async () => {
    const { account, id } = await subscriber()
    const { customer } = gateway.billing.store.subscriptions[id]!
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.subscribe({ customer, priceId: 'price_pro', metadata: {} })
    gateway.billing.setBehaviour({ delayMs: 50 })
    const responses = await Promise.all([1, 2, 3].map(() => account.post('/v1/billing/cancel')))
    gateway.billing.setBehaviour({ delayMs: 0 })
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    await gateway.billing.deliveries.waitUntilIdle()
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('keep the plan until the period ends, and no longer', async () => {
    const { account, id } = await subscriber()
    const library = async () => (await account.post('/v1/libraries', { name: crypto.randomUUID() })).body
    const mayInvite = async () => {
      const path = `/v1/libraries/${(await library()).id}/shares`
      return (await account.post(path, { email: 'guest@example.test', accessType: 'viewer' })).status
    }
    await account.post('/v1/billing/cancel')
    expect(await mayInvite()).toBe(201)
    gateway.billing.lifecycle.endPeriod(id)
    await gateway.billing.deliveries.waitUntilIdle()
    expect((await pending(account)).body.status).toBe('canceled')
    expect(await mayInvite()).toBe(403)
  })

  describe.each(['cancel', 'resume'])('%s', (action) => {
    const noSubscription = [409, errorBody('billing_bad_input', { reason: 'no_subscription' })]
    const send = async (account: TestAccount) => {
      const { status, body } = await account.post(`/v1/billing/${action}`)
      return [status, body]
    }

    it('returns 409 for an account without a subscription', async () => {
      expect(await send(await gateway.signUp({ plan: 'free' }))).toEqual(noSubscription)
    })

    it('returns 409 for a subscription that has ended', async () => {
      const { account, id } = await subscriber()
      gateway.billing.lifecycle.cancel(id)
      await gateway.billing.deliveries.waitUntilIdle()
      expect(await send(account)).toEqual(noSubscription)
    })

    it('returns 409 for a subscription that has ended only at the provider', async () => {
      const { account, id } = await subscriber()
      gateway.billing.deliveries.setEndpoint(null)
      gateway.billing.lifecycle.cancel(id)
      const response = await send(account)
      gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
      expect(response).toEqual(noSubscription)
      await gateway.billing.deliveries.waitUntilIdle()
    })

    it('returns 409 for a plan that was granted manually', async () => {
      expect(await send(await gateway.signUp({ plan: 'pro' }))).toEqual(noSubscription)
    })
  })
})
