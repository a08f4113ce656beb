import { describe, expect, it } from 'vitest'
import { billingEvent, buy, deliver } from '#test/support/billing.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body

describe('events that come late, twice and in any order', () => {
  const gateway = startTestGateway({ billing: true })

  const subscriptionsOf = (customerId: string) =>
    Object.values(gateway.billing.books.subscriptions).filter(({ customer }) => customer === customerId)

  // A year of a subscriber's life, in no time.
  const live = async (account: TestAccount, customerId: string, seed: number) => {
    const { ledger } = gateway.billing
    for (let step = 0; step < 14; step++) {
      const running = subscriptionsOf(customerId).find(({ status: state }) => state !== 'canceled')
      const metadata = { account_id: account.accountId }
      if (!running) ledger.subscribe({ customer: customerId, priceId: 'price_pro', metadata })
      else
        [
          () => ledger.failPayment(running.id),
          () => ledger.change(running.id, { priceId: 'price_starter' }),
          () => ledger.change(running.id, { cancelAtPeriodEnd: !running.cancelAtPeriodEnd }),
          () => ledger.endPeriod(running.id),
          () => ledger.change(running.id, { status: 'active', priceId: 'price_pro' }),
        ][(seed + step * 3) % 5]!()
      await new Promise((resolve) => setTimeout(resolve, (seed * 7 + step) % 11))
    }
  }

  it('end in what the provider has', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const account = await gateway.signUp({ plan: 'free' })
        return { account, customerId: (await buy(gateway, account)).billingCustomerId as string }
      }),
    )
    gateway.billing.behave({ reorder: true, repeat: 2 })
    const before = gateway.billing.deliveries.history.length
    await Promise.all(accounts.map(({ account, customerId }, seed) => live(account, customerId, seed)))
    await gateway.billing.deliveries.settled()
    gateway.billing.behave({ reorder: false, repeat: 0 })
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

  it('lead to one outcome for an event that is delivered many times at once', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id, billingCustomerId: customer } = await buy(gateway, account)
    const object = {
      id,
      customer,
      status: 'active',
      created: 1,
      cancel_at_period_end: false,
      items: { data: [] },
    }
    const event = billingEvent('customer.subscription.updated', object)
    const answers = await Promise.all(Array.from({ length: 12 }, () => deliver(gateway, event)))
    const outcomes = answers.map(({ body }) => body.status).sort()
    expect(outcomes).toEqual([...Array(11).fill('duplicate'), 'processed'])
  })
})

describe('events where the provider cannot be asked', () => {
  const gateway = startTestGateway({ environment: { BILLING_WEBHOOK_SECRET: 'whsec_of_the_tests' } })
  const start = 1_780_000_000

  const subscriber = async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const customer = `cus_${crypto.randomUUID()}`
    const tell = async (type: string, id: string, created: number, told: object = {}) => {
      const object = {
        id,
        customer,
        status: 'active',
        created: start,
        cancel_at_period_end: false,
        metadata: { account_id: account.accountId },
        items: { data: [{ id: 'si_1', price: { id: 'price_pro' }, current_period_end: start + 86_400 }] },
        ...told,
      }
      const event = billingEvent(`customer.subscription.${type}`, object, { created: start + created })
      return { event, outcome: (await deliver(gateway, event)).body.status }
    }
    const tellOf = async (type: string, created: number, object: object) => {
      const event = billingEvent(type, { customer, ...object }, { created: start + created })
      return (await deliver(gateway, event)).body.status
    }
    return { account, tell, tellOf, id: `sub_${crypto.randomUUID()}` }
  }

  it('are believed in the order of the provider’s clock', async () => {
    const { account, tell, id } = await subscriber()
    expect((await tell('created', id, 0)).outcome).toBe('processed')
    expect(await status(account)).toMatchObject({
      status: 'active',
      planId: 'pro',
      currentPeriodEnd: new Date((start + 86_400) * 1000).toISOString(),
    })
    expect((await tell('updated', id, 20, { status: 'past_due' })).outcome).toBe('processed')
    expect((await tell('updated', id, 10, { status: 'unpaid' })).outcome).toBe('stale')
    expect((await tell('updated', id, 20, { status: 'active' })).outcome).toBe('processed')
    expect((await status(account)).status).toBe('active')
  })

  it('leave what has ended ended', async () => {
    const { account, tell, id } = await subscriber()
    await tell('created', id, 0)
    await tell('deleted', id, 10, { status: 'canceled' })
    expect((await tell('updated', id, 10)).outcome).toBe('stale')
    expect((await tell('updated', id, 20)).outcome).toBe('stale')
    expect((await status(account)).status).toBe('canceled')
    expect((await tell('created', `${id}_next`, 30)).outcome).toBe('processed')
    expect((await tell('deleted', id, 40, { status: 'canceled' })).outcome).toBe('stale')
    expect(await status(account)).toMatchObject({ status: 'active', billingSubscriptionId: `${id}_next` })
  })

  it('apply once, whatever came in between', async () => {
    const { account, tell, id } = await subscriber()
    await tell('created', id, 0)
    const { event } = await tell('updated', id, 10, { status: 'past_due' })
    await tell('updated', id, 10, { status: 'active' })
    expect((await deliver(gateway, event)).body.status).toBe('duplicate')
    expect((await status(account)).status).toBe('active')
  })

  it.each([
    ['a payment', 'invoice.paid', {}],
    ['a completed checkout', 'checkout.session.completed', { mode: 'subscription' }],
  ])('are not stale for %s that was told of before them', async (_, type, object) => {
    const { account, tell, tellOf, id } = await subscriber()
    await tell('created', id, 0, { status: 'incomplete' })
    expect(await tellOf(type, 3, { subscription: id, ...object })).toBe('processed')
    expect((await tell('updated', id, 2)).outcome).toBe('processed')
    expect((await status(account)).status).toBe('active')
  })

  it('are not stale for what was told of another subscription', async () => {
    const { account, tell, id } = await subscriber()
    await tell('created', id, 0)
    expect((await tell('updated', `${id}_old`, 20, { status: 'canceled' })).outcome).toBe('stale')
    expect((await tell('deleted', id, 10, { status: 'canceled' })).outcome).toBe('processed')
    expect((await status(account)).status).toBe('canceled')
  })

  it('end where the last one says, whatever order they come in', async () => {
    const told = [
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
      const { account, tell, id } = await subscriber()
      await Promise.all(
        order.map((place) => tell(told[place]![0], id, told[place]![1], { status: told[place]![2] })),
      )
      expect((await status(account)).status).toBe('active')
    }
  })
})
