import { describe, expect, it } from 'vitest'
import { buyPlan, createBillingEvent, deliverBillingEvent, payCheckout } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const order = { planId: 'pro', returnPath: '/' }

const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body

describe('webhooks.billing', () => {
  const gateway = startTestGateway({ billing: true })

  const warningsAbout = (subject: string) => gateway.database.sql`
    select name from operator_warnings where subject = ${subject}`
  const countEvents = async (accountId: string) =>
    (await gateway.database.sql`select id from billing_events where account_id = ${accountId}`).length

  const customer = async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { body: session } = await account.post('/v1/billing/checkout', order)
    const { billingCustomerId: customerId } = await status(account)
    return { account, customerId, session }
  }

  const subscriber = async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id, billingCustomerId: customerId } = await buyPlan(gateway, account)
    return { account, id, customerId }
  }

  const subscriptionEvent = (type: string, id: string, event: object = {}, changes: object = {}) => {
    const { customer: owner, status: state, created, metadata } = gateway.billing.store.subscriptions[id]!
    const object = { id, customer: owner, status: state, created, metadata, cancel_at_period_end: false }
    return createBillingEvent(
      `customer.subscription.${type}`,
      { ...object, items: { data: [] }, ...changes },
      event,
    )
  }

  it('grants the plan until the subscription ends', async () => {
    const { account, id } = await subscriber()
    const library = (await account.post('/v1/libraries', { name: 'Mine' })).body
    const invite = () =>
      account.post(`/v1/libraries/${library.id}/shares`, {
        email: `${crypto.randomUUID()}@example.test`,
        accessType: 'viewer',
      })
    expect((await invite()).status).toBe(201)
    gateway.billing.lifecycle.failPayment(id)
    await gateway.billing.deliveries.waitUntilIdle()
    expect([(await status(account)).status, (await invite()).status]).toEqual(['past_due', 201])
    gateway.billing.lifecycle.change(id, { status: 'unpaid' })
    await gateway.billing.deliveries.waitUntilIdle()
    expect([(await status(account)).status, (await invite()).body.status]).toEqual(['unpaid', 'unpaid'])
    gateway.billing.lifecycle.cancel(id)
    await gateway.billing.deliveries.waitUntilIdle()
    expect([(await status(account)).status, (await invite()).status]).toEqual(['canceled', 403])
  })

  it.each([
    ['trialing', 'trialing'],
    ['paused', 'unpaid'],
    ['incomplete', 'incomplete'],
    ['incomplete_expired', 'canceled'],
  ])('maps the status %s to %s', async (theirs, ours) => {
    const { account, customerId } = await customer()
    const metadata = { account_id: account.accountId }
    gateway.billing.lifecycle.subscribe({ customer: customerId, priceId: 'price_pro', metadata }, theirs)
    await gateway.billing.deliveries.waitUntilIdle()
    expect((await status(account)).status).toBe(ours)
  })

  it('grants nothing for an unknown status, and warns the operator', async () => {
    const { account, customerId } = await customer()
    const start = { customer: customerId, priceId: 'price_pro', metadata: {} }
    const { id } = gateway.billing.lifecycle.subscribe(start, 'dormant')
    await gateway.billing.deliveries.waitUntilIdle()
    expect((await status(account)).status).toBe('incomplete')
    expect(await warningsAbout(id)).toEqual([{ name: 'billing_unknown_status' }])
    expect((await account.post('/v1/billing/checkout', order)).status).toBe(409)
  })

  it('grants nothing if no plan has the price, and warns the operator', async () => {
    const { account, customerId } = await customer()
    const start = { customer: customerId, priceId: 'price_unknown', metadata: {} }
    const { id } = gateway.billing.lifecycle.subscribe(start)
    await gateway.billing.deliveries.waitUntilIdle()
    expect(await status(account)).toMatchObject({ status: 'active', planId: 'free' })
    expect(await warningsAbout(id)).toEqual([{ name: 'billing_unknown_price' }])
  })

  it("keeps a customer's plan if no plan has the new price, and warns the operator", async () => {
    const { account, id } = await subscriber()
    gateway.billing.lifecycle.change(id, { priceId: 'price_unknown', cancelAtPeriodEnd: true })
    await gateway.billing.deliveries.waitUntilIdle()
    const kept = { status: 'active', planId: 'pro', cancelAtPeriodEnd: true }
    expect(await status(account)).toMatchObject(kept)
    expect(await warningsAbout(id)).toEqual([{ name: 'billing_unknown_price' }])
    expect((await account.post('/v1/billing/resume')).body.cancelAtPeriodEnd).toBe(false)
    expect((await status(account)).planId).toBe('pro')
    const switched = await account.post('/v1/billing/change-plan', { ...order, planId: 'starter' })
    expect([switched.body, (await status(account)).planId]).toEqual([
      { mode: 'switched', planId: 'starter' },
      'starter',
    ])
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it("does not keep an ended subscription's plan for a new subscription if no plan has the new price", async () => {
    const { account, id, customerId } = await subscriber()
    gateway.billing.lifecycle.cancel(id)
    await gateway.billing.deliveries.waitUntilIdle()
    gateway.billing.lifecycle.subscribe({ customer: customerId, priceId: 'price_unknown', metadata: {} })
    await gateway.billing.deliveries.waitUntilIdle()
    expect(await status(account)).toMatchObject({ status: 'active', planId: 'free' })
  })

  it('returns whether an event was processed, repeated or ignored', async () => {
    const { account, id } = await subscriber()
    const event = subscriptionEvent('updated', id)
    const first = await deliverBillingEvent(gateway, event)
    expect([first.status, first.body]).toEqual([
      200,
      { received: true, status: 'processed', type: 'customer.subscription.updated' },
    ])
    expect((await deliverBillingEvent(gateway, event)).body.status).toBe('duplicate')
    const other = await deliverBillingEvent(gateway, createBillingEvent('customer.created', { id: 'cus_1' }))
    expect(other.body).toEqual({ received: true, status: 'ignored', type: 'customer.created' })
    const odd = await deliverBillingEvent(
      gateway,
      createBillingEvent('balance.available', {}, { data: null }),
    )
    expect([odd.status, odd.body.status]).toEqual([200, 'ignored'])
    expect(await countEvents(account.accountId)).toBeGreaterThan(0)
  })

  it("reads the provider's state if an event is late", async () => {
    const { account, id } = await subscriber()
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.change(id, { status: 'past_due' })
    const past = Math.floor(Date.now() / 1000) - 3600
    const late = await deliverBillingEvent(
      gateway,
      subscriptionEvent('updated', id, { created: past }, { status: 'unpaid' }),
    )
    expect([late.body.status, (await status(account)).status]).toEqual(['processed', 'past_due'])
    const later = await deliverBillingEvent(gateway, subscriptionEvent('updated', id, { created: past }))
    expect(later.body.status).toBe('stale')
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    await gateway.billing.deliveries.waitUntilIdle()
  })

  it('does not end a new subscription when an old one ends', async () => {
    const { account, id: old } = await subscriber()
    gateway.billing.deliveries.setEndpoint(null)
    gateway.billing.lifecycle.cancel(old)
    const { body: session } = await account.post('/v1/billing/checkout', { ...order, planId: 'starter' })
    await payCheckout(gateway, session)
    await deliverBillingEvent(gateway, createBillingEvent('invoice.paid', invoiceOf(await status(account))))
    gateway.billing.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/billing`)
    await gateway.billing.deliveries.waitUntilIdle()
    await deliverBillingEvent(gateway, subscriptionEvent('deleted', old))
    expect(await status(account)).toMatchObject({ status: 'active', planId: 'starter' })
  })

  it('cancels a second live subscription and warns the operator', async () => {
    const { account, id, customerId } = await subscriber()
    const start = { customer: customerId, priceId: 'price_starter', metadata: {} }
    const second = gateway.billing.lifecycle.subscribe(start)
    await gateway.billing.deliveries.waitUntilIdle()
    // If both were bought in the same second, either may be the older one.
    const subscriptions = [id, second.id].map((one) => gateway.billing.store.subscriptions[one]!)
    const [active] = subscriptions.filter((one) => one.status === 'active')
    const [cancelled] = subscriptions.filter((one) => one.status === 'canceled')
    expect(await status(account)).toMatchObject({ status: 'active', billingSubscriptionId: active!.id })
    expect(await warningsAbout(cancelled!.id)).toEqual([{ name: 'billing_second_subscription' }])
  })

  it('treats a subscription that no longer exists at the provider as ended', async () => {
    const { account, id } = await subscriber()
    const event = subscriptionEvent('updated', id)
    delete gateway.billing.store.subscriptions[id]
    expect((await deliverBillingEvent(gateway, event)).body.status).toBe('processed')
    expect((await status(account)).status).toBe('canceled')
  })

  it('returns 503 while the provider is unavailable, and processes the event when it is delivered again', async () => {
    const { account, id } = await subscriber()
    const event = subscriptionEvent('updated', id)
    gateway.billing.setBehaviour({ down: true })
    const response = await deliverBillingEvent(gateway, event)
    gateway.billing.setBehaviour({ down: false })
    expect([response.status, response.body]).toEqual([503, errorBody('billing_provider_unavailable')])
    expect((await deliverBillingEvent(gateway, event)).body.status).toBe('processed')
    expect((await status(account)).status).toBe('active')
  })

  it('returns 400 for an invalid event', async () => {
    const response = await deliverBillingEvent(
      gateway,
      createBillingEvent('customer.subscription.updated', { id: 7 }),
    )
    expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    expect(response.body.issues.map(({ path }: { path: string }) => path)).toContain('data.object.customer')
    const empty = await deliverBillingEvent(gateway, createBillingEvent('invoice.paid', {}, { data: {} }))
    expect([empty.status, empty.body.issues[0].path]).toEqual([400, 'data.object'])
    const { id } = await subscriber()
    for (const created of [9_000_000_000_000_000, '2026-01-02T03:04:05.000Z'])
      expect((await deliverBillingEvent(gateway, subscriptionEvent('updated', id, { created }))).status).toBe(
        400,
      )
  })

  describe('a sale', () => {
    const sales = (accountId: string) => gateway.database.sql`
      select invoice_id, click_id, amount::int, currency from sale_reports where account_id = ${accountId}`

    it('is recorded once for a click on a share link', async () => {
      const account = await gateway.signUp({ plan: 'free' })
      const headers = { 'x-link-click-id': 'click_7' }
      const { body: session } = await account.post('/v1/billing/checkout', order, headers)
      gateway.billing.setBehaviour({ repeat: 3 })
      await payCheckout(gateway, session)
      gateway.billing.setBehaviour({ repeat: 0 })
      const { invoice } = gateway.billing.store.sessions[session.sessionId]!
      expect(await sales(account.accountId)).toEqual([
        { invoice_id: invoice, click_id: 'click_7', amount: 1900, currency: 'eur' },
      ])
    })

    it('is not recorded without a click', async () => {
      const { account } = await subscriber()
      expect(await sales(account.accountId)).toEqual([])
    })
  })
})

const invoiceOf = ({ billingCustomerId: customer }: { billingCustomerId: string }) => ({
  customer,
  parent: { subscription_details: { subscription: 'sub_of_the_invoice', metadata: {} } },
})
