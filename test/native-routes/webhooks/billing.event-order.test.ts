import { describe, expect, it } from 'vitest'
import { buyPlan, createBillingEvent, deliverBillingEvent } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body

describe('webhooks.billing with late, repeated and reordered events', () => {
  const gateway = startTestGateway({ billing: true })

  const subscriptionsOf = (customerId: string) =>
    Object.values(gateway.billing.store.subscriptions).filter(({ customer }) => customer === customerId)

  const changeOften = async (account: TestAccount, customerId: string, seed: number) => {
    const { lifecycle } = gateway.billing
    for (let step = 0; step < 14; step++) {
      const running = subscriptionsOf(customerId).find(({ status: state }) => state !== 'canceled')
      const metadata = { account_id: account.accountId }
      if (!running) lifecycle.subscribe({ customer: customerId, priceId: 'price_pro', metadata })
      else
        [
          () => lifecycle.failPayment(running.id),
          () => lifecycle.change(running.id, { priceId: 'price_starter' }),
          () => lifecycle.change(running.id, { cancelAtPeriodEnd: !running.cancelAtPeriodEnd }),
          () => lifecycle.endPeriod(running.id),
          () => lifecycle.change(running.id, { status: 'active', priceId: 'price_pro' }),
        ][(seed + step * 3) % 5]!()
      await new Promise((resolve) => setTimeout(resolve, (seed * 7 + step) % 11))
    }
  }

  it('leaves every account in the state that it has at the provider', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const account = await gateway.signUp({ plan: 'free' })
        return { account, customerId: (await buyPlan(gateway, account)).billingCustomerId as string }
      }),
    )
    gateway.billing.setBehaviour({ reorder: true, repeat: 2 })
    const before = gateway.billing.deliveries.history.length
    await Promise.all(accounts.map(({ account, customerId }, seed) => changeOften(account, customerId, seed)))
    await gateway.billing.deliveries.waitUntilIdle()
    gateway.billing.setBehaviour({ reorder: false, repeat: 0 })
    expect(gateway.billing.deliveries.history.length).toBeGreaterThan(before)
    expect(gateway.billing.deliveries.pending()).toEqual([])

    for (const { account, customerId } of accounts) {
      const own = subscriptionsOf(customerId)
      const current = own.find(({ status: state }) => state !== 'canceled') ?? own.at(-1)!
      const row = await status(account)
      expect(row).toMatchObject({ status: current.status, cancelAtPeriodEnd: current.cancelAtPeriodEnd })
      expect(new Date(row.currentPeriodEnd).valueOf()).toBe(current.periodEnd * 1000)
      if (current.status !== 'canceled') expect(`price_${row.planId}`).toBe(current.priceId)
    }
    const events = await gateway.database.sql`select id from billing_events`
    expect(events.length).toBeGreaterThan(100)
  }, 60_000)

  it('processes an event only once if it is delivered several times concurrently', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id, billingCustomerId: customer } = await buyPlan(gateway, account)
    const object = {
      id,
      customer,
      status: 'active',
      created: 1,
      cancel_at_period_end: false,
      items: { data: [] },
    }
    const event = createBillingEvent('customer.subscription.updated', object)
    const responses = await Promise.all(Array.from({ length: 12 }, () => deliverBillingEvent(gateway, event)))
    const outcomes = responses.map(({ body }) => body.status).sort()
    expect(outcomes).toEqual([...Array(11).fill('duplicate'), 'processed'])
  })
})

describe('webhooks.billing without a provider API key', () => {
  const gateway = startTestGateway({ environment: { BILLING_WEBHOOK_SECRET: 'whsec_of_the_tests' } })
  const start = 1_780_000_000

  const subscriber = async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const customer = `cus_${crypto.randomUUID()}`
    const send = async (type: string, id: string, created: number, changes: object = {}) => {
      const object = {
        id,
        customer,
        status: 'active',
        created: start,
        cancel_at_period_end: false,
        metadata: { account_id: account.accountId },
        items: { data: [{ id: 'si_1', price: { id: 'price_pro' }, current_period_end: start + 86_400 }] },
        ...changes,
      }
      const event = createBillingEvent(`customer.subscription.${type}`, object, { created: start + created })
      return { event, outcome: (await deliverBillingEvent(gateway, event)).body.status }
    }
    const sendOther = async (type: string, created: number, object: object) => {
      const event = createBillingEvent(type, { customer, ...object }, { created: start + created })
      return (await deliverBillingEvent(gateway, event)).body.status
    }
    return { account, send, sendOther, id: `sub_${crypto.randomUUID()}` }
  }

  it('applies events in the order of the provider’s clock', async () => {
    const { account, send, id } = await subscriber()
    expect((await send('created', id, 0)).outcome).toBe('processed')
    expect(await status(account)).toMatchObject({
      status: 'active',
      planId: 'pro',
      currentPeriodEnd: new Date((start + 86_400) * 1000).toISOString(),
    })
    expect((await send('updated', id, 20, { status: 'past_due' })).outcome).toBe('processed')
    expect((await send('updated', id, 10, { status: 'unpaid' })).outcome).toBe('stale')
    expect((await send('updated', id, 20, { status: 'active' })).outcome).toBe('processed')
    expect((await status(account)).status).toBe('active')
  })

  it('keeps the plan if no plan has the new price, and warns the operator once', async () => {
    const { account, send, id } = await subscriber()
    await send('created', id, 0)
    const items = { data: [{ id: 'si_1', price: { id: 'price_unknown' } }] }
    expect((await send('updated', id, 10, { items })).outcome).toBe('processed')
    expect((await send('updated', id, 20, { items, status: 'past_due' })).outcome).toBe('processed')
    expect(await status(account)).toMatchObject({ status: 'past_due', planId: 'pro' })
    const warnings = await gateway.database.sql`select name from operator_warnings where subject = ${id}`
    expect(warnings).toEqual([{ name: 'billing_unknown_price' }])
    const other = await subscriber()
    await other.send('created', other.id, 0, { items })
    expect(await status(other.account)).toMatchObject({ status: 'active', planId: 'free' })
  })

  it('does not reactivate a subscription that has ended', async () => {
    const { account, send, id } = await subscriber()
    await send('created', id, 0)
    await send('deleted', id, 10, { status: 'canceled' })
    expect((await send('updated', id, 10)).outcome).toBe('stale')
    expect((await send('updated', id, 20)).outcome).toBe('stale')
    expect((await status(account)).status).toBe('canceled')
    expect((await send('created', `${id}_next`, 30)).outcome).toBe('processed')
    expect((await send('deleted', id, 40, { status: 'canceled' })).outcome).toBe('stale')
    expect(await status(account)).toMatchObject({ status: 'active', billingSubscriptionId: `${id}_next` })
  })

  it('applies an event once, even if other events arrive before it is repeated', async () => {
    const { account, send, id } = await subscriber()
    await send('created', id, 0)
    const { event } = await send('updated', id, 10, { status: 'past_due' })
    await send('updated', id, 10, { status: 'active' })
    expect((await deliverBillingEvent(gateway, event)).body.status).toBe('duplicate')
    expect((await status(account)).status).toBe('active')
  })

  it.each([
    ['an event for a payment', 'invoice.paid', {}],
    ['an event for a completed checkout', 'checkout.session.completed', { mode: 'subscription' }],
  ])('applies a subscription event that is older than %s', async (_, type, object) => {
    const { account, send, sendOther, id } = await subscriber()
    await send('created', id, 0, { status: 'incomplete' })
    expect(await sendOther(type, 3, { subscription: id, ...object })).toBe('processed')
    expect((await send('updated', id, 2)).outcome).toBe('processed')
    expect((await status(account)).status).toBe('active')
  })

  it('applies an event even if it is older than an event for a different subscription', async () => {
    const { account, send, id } = await subscriber()
    await send('created', id, 0)
    expect((await send('updated', `${id}_old`, 20, { status: 'canceled' })).outcome).toBe('stale')
    expect((await send('deleted', id, 10, { status: 'canceled' })).outcome).toBe('processed')
    expect((await status(account)).status).toBe('canceled')
  })

  it("leaves the account in the last event's state, whatever the order of delivery", async () => {
    const changes = [
      ['created', 0, 'incomplete'],
      ['updated', 10, 'active'],
      ['updated', 20, 'past_due'],
      ['updated', 30, 'active'],
    ] as const
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
      [3, 0, 1, 2],
    ]
    for (const order of orders) {
      const { account, send, id } = await subscriber()
      await Promise.all(
        order.map((place) =>
          send(changes[place]![0], id, changes[place]![1], { status: changes[place]![2] }),
        ),
      )
      expect((await status(account)).status).toBe('active')
    }
  })
})
