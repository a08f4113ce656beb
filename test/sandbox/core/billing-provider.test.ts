import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appOrigin, startTestBilling } from '#test/support/billing.ts'
import { type Caller, type RunningCore, runCore } from './running-core.ts'

let billing: Awaited<ReturnType<typeof startTestBilling>>
let core: RunningCore
beforeAll(async () => {
  billing = await startTestBilling()
  const { BILLING_API_BASE: apiBase = '', BILLING_SECRET_KEY: secretKey = '' } = billing.environment
  core = await runCore({
    plans: [
      { id: 'free', entitlements: {} },
      { id: 'starter', priceId: 'price_starter', entitlements: {} },
      { id: 'pro', priceId: 'price_pro', entitlements: {} },
    ],
    billing: { apiBase, secretKey },
    appOrigin,
  })
})
afterAll(async () => {
  await core.close()
  await billing.provider.close()
})

const order = (planId = 'pro') => ({ planId, returnPath: '/plans?a=b' })

const sessionOf = (id: string) => {
  const session = billing.provider.books.sessions[id]
  if (!session) throw new Error('the provider knows no such checkout')
  return session
}

/** Pays without any webhook ever telling the core of it. */
const buy = async (caller: Caller, planId = 'pro') => {
  const { body } = await caller.post('/v1/billing/checkout', order(planId))
  return billing.provider.ledger.pay(sessionOf(body.sessionId))
}

const statusOf = async (caller: Caller) => (await caller.get('/v1/billing/status')).body

describe('the core with a way to the billing provider', () => {
  it('sells by a page of the provider that leads back to the app', async () => {
    const alice = await core.signIn('alice@example.test')
    const { status, body } = await alice.post('/v1/billing/checkout', order())
    expect([status, Object.keys(body).sort()]).toEqual([201, ['sessionId', 'url']])
    expect(sessionOf(body.sessionId)).toMatchObject({
      priceId: 'price_pro',
      clientReferenceId: alice.accountId,
      successUrl: `${appOrigin}/plans?a=b`,
      cancelUrl: `${appOrigin}/plans?a=b`,
    })
  })

  it('leaves one page open, and one customer to an account', async () => {
    const alice = await core.signIn('alice@example.test')
    const [first, second] = [
      await alice.post('/v1/billing/checkout', order()),
      await alice.post('/v1/billing/change-plan', order('starter')),
    ]
    const sessions = [sessionOf(first.body.sessionId), sessionOf(second.body.sessionId)]
    expect(sessions.map(({ status }) => status)).toEqual(['expired', 'open'])
    expect(sessions[0]?.customer).toBe(sessions[1]?.customer)
  })

  it('calls off first payments that are still owed', async () => {
    const alice = await core.signIn()
    const { body } = await alice.post('/v1/billing/checkout', order())
    const start = { customer: sessionOf(body.sessionId).customer, priceId: 'price_pro', metadata: {} }
    const { subscribe } = billing.provider.ledger
    const owed = [subscribe(start, 'incomplete'), subscribe(start, 'incomplete')]
    expect((await alice.post('/v1/billing/checkout', order())).status).toBe(201)
    expect(owed.map(({ status }) => status)).toEqual(['incomplete_expired', 'incomplete_expired'])
  })

  it('sells no second subscription, even to whoever has paid without its knowing', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    const { status, body } = await alice.post('/v1/billing/checkout', order())
    expect([status, body]).toEqual([409, { error: 'billing_bad_input', reason: 'already_subscribed' }])
    expect(await statusOf(alice)).toMatchObject({
      planId: 'pro',
      status: 'active',
      billingSubscriptionId: id,
    })
  })

  it('switches the plan in place', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    const answer = await alice.post('/v1/billing/change-plan', order('starter'))
    expect([answer.status, answer.body]).toEqual([200, { mode: 'switched', planId: 'starter' }])
    expect(billing.provider.books.subscriptions[id]?.priceId).toBe('price_starter')
    expect((await statusOf(alice)).planId).toBe('starter')
  })

  it('writes nothing where there is nothing to change', async () => {
    const alice = await core.signIn()
    await buy(alice)
    await alice.post('/v1/billing/cancel')
    const before = billing.provider.requests.length
    await alice.post('/v1/billing/change-plan', order('pro'))
    await alice.post('/v1/billing/cancel')
    expect(billing.provider.requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  it('cancels and resumes, by an end on a date too', async () => {
    const alice = await core.signIn()
    const { id, periodEnd } = await buy(alice)
    const cancelled = await alice.post('/v1/billing/cancel')
    const currentPeriodEnd = new Date(periodEnd * 1000).toISOString()
    expect(cancelled.body).toEqual({ status: 'active', cancelAtPeriodEnd: true, currentPeriodEnd })
    billing.provider.ledger.change(id, { cancelAtPeriodEnd: false, cancelAt: periodEnd })
    const resumed = await alice.post('/v1/billing/resume')
    expect(resumed.body).toEqual({ status: 'active', cancelAtPeriodEnd: false, currentPeriodEnd })
    expect(billing.provider.books.subscriptions[id]?.cancelAt).toBeNull()
  })

  it.each(['cancel', 'resume'])('knows when it is asked to %s what has ended', async (action) => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    await alice.post('/v1/billing/cancel')
    billing.provider.ledger.cancel(id)
    const { status, body } = await alice.post(`/v1/billing/${action}`)
    expect([status, body]).toEqual([409, { error: 'billing_bad_input', reason: 'no_subscription' }])
    expect((await statusOf(alice)).status).toBe('canceled')
  })

  it('overwrites no newer answer with one that was slow', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    await alice.post('/v1/billing/resume')
    let resumed: ReturnType<Caller['post']> | undefined
    await core.sql.begin(async (sql) => {
      await sql`
        update subscriptions set status = 'past_due', revision = revision + 1 where account_id = ${alice.accountId}`
      resumed = alice.post('/v1/billing/resume')
      const waiting = () => core.sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(waiting).toHaveLength(1)
      billing.provider.ledger.change(id, { status: 'past_due' })
    })
    expect((await resumed)?.body.status).toBe('past_due')
    expect((await statusOf(alice)).status).toBe('past_due')
  })

  it('opens the portal to customers alone', async () => {
    const [alice, stranger] = [await core.signIn(), await core.signIn()]
    await alice.post('/v1/billing/checkout', order())
    const answers = [alice, stranger].map((caller) => caller.post('/v1/billing/portal', { returnPath: '/' }))
    const [opened, refused] = await Promise.all(answers)
    expect([opened?.status, Object.keys(opened?.body).sort()]).toEqual([200, ['sessionId', 'url']])
    expect(refused?.body).toEqual({ error: 'billing_bad_input', reason: 'no_customer' })
  })

  it.each(['free', 'platinum', 'price_pro'])('does not sell %s', async (planId) => {
    const { status, body } = await (await core.signIn()).post('/v1/billing/checkout', order(planId))
    expect([status, body]).toEqual([400, { error: 'billing_bad_input' }])
  })

  it('says that the provider does not answer', async () => {
    const alice = await core.signIn()
    await buy(alice)
    billing.provider.behave({ down: true })
    const actions = ['checkout', 'change-plan', 'portal', 'cancel', 'resume']
    const bodies = [order(), order(), { returnPath: '/' }, undefined, undefined]
    const answers = await Promise.all(
      actions.map((action, place) => alice.post(`/v1/billing/${action}`, bodies[place])),
    )
    billing.provider.behave({ down: false })
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      actions.map(() => [503, { error: 'billing_provider_unavailable' }]),
    )
  })
})
