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

const findSession = (id: string) => {
  const session = billing.provider.store.sessions[id]
  if (!session) throw new Error('the provider has no such checkout session')
  return session
}

/** Pays at the provider; no webhook reaches the core. */
const buy = async (caller: Caller, planId = 'pro') => {
  const { body } = await caller.post('/v1/billing/checkout', order(planId))
  return billing.provider.lifecycle.pay(findSession(body.sessionId))
}

const readStatus = async (caller: Caller) => (await caller.get('/v1/billing/status')).body

describe('billing of the core with a billing provider', () => {
  it('opens a checkout page that returns to the app', async () => {
    const alice = await core.signIn('alice@example.test')
    const { status, body } = await alice.post('/v1/billing/checkout', order())
    expect([status, Object.keys(body).sort()]).toEqual([201, ['sessionId', 'url']])
    expect(findSession(body.sessionId)).toMatchObject({
      priceId: 'price_pro',
      clientReferenceId: alice.accountId,
      successUrl: `${appOrigin}/plans?a=b`,
      cancelUrl: `${appOrigin}/plans?a=b`,
    })
  })

  it('sends only verified e-mail addresses to the provider', async () => {
    for (const isVerified of [true, false]) {
      const alice = await core.signIn('alice@example.test', isVerified)
      await alice.post('/v1/billing/checkout', order())
      const customers = Object.values(billing.provider.store.customers)
      const mine = customers.filter(({ metadata }) => metadata.account_id === alice.accountId)
      expect(mine.map(({ email }) => email)).toEqual([isVerified ? 'alice@example.test' : null])
    }
  })

  it('keeps one open checkout session and one customer per account', async () => {
    const alice = await core.signIn('alice@example.test')
    const [first, second] = [
      await alice.post('/v1/billing/checkout', order()),
      await alice.post('/v1/billing/change-plan', order('starter')),
    ]
    const sessions = [findSession(first.body.sessionId), findSession(second.body.sessionId)]
    expect(sessions.map(({ status }) => status)).toEqual(['expired', 'open'])
    expect(sessions[0]?.customer).toBe(sessions[1]?.customer)
  })

  it('cancels incomplete subscriptions before it opens a checkout', async () => {
    const alice = await core.signIn()
    const { body } = await alice.post('/v1/billing/checkout', order())
    const start = { customer: findSession(body.sessionId).customer, priceId: 'price_pro', metadata: {} }
    const { subscribe } = billing.provider.lifecycle
    const incomplete = [subscribe(start, 'incomplete'), subscribe(start, 'incomplete')]
    expect((await alice.post('/v1/billing/checkout', order())).status).toBe(201)
    expect(incomplete.map(({ status }) => status)).toEqual(['incomplete_expired', 'incomplete_expired'])
  })

  it('returns 409 for a second subscription, also when no webhook has reported the first', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    const { status, body } = await alice.post('/v1/billing/checkout', order())
    expect([status, body]).toEqual([409, { error: 'billing_bad_input', reason: 'already_subscribed' }])
    expect(await readStatus(alice)).toMatchObject({
      planId: 'pro',
      status: 'active',
      billingSubscriptionId: id,
    })
  })

  it('switches the plan in place', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    const response = await alice.post('/v1/billing/change-plan', order('starter'))
    expect([response.status, response.body]).toEqual([200, { mode: 'switched', planId: 'starter' }])
    expect(billing.provider.store.subscriptions[id]?.priceId).toBe('price_starter')
    expect((await readStatus(alice)).planId).toBe('starter')
  })

  it('sends no write to the provider when nothing changes', async () => {
    const alice = await core.signIn()
    await buy(alice)
    await alice.post('/v1/billing/cancel')
    const before = billing.provider.requests.length
    await alice.post('/v1/billing/change-plan', order('pro'))
    await alice.post('/v1/billing/cancel')
    expect(billing.provider.requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  it('cancels and resumes, also when the cancellation is on a date', async () => {
    const alice = await core.signIn()
    const { id, periodEnd } = await buy(alice)
    const cancelled = await alice.post('/v1/billing/cancel')
    const currentPeriodEnd = new Date(periodEnd * 1000).toISOString()
    expect(cancelled.body).toEqual({ status: 'active', cancelAtPeriodEnd: true, currentPeriodEnd })
    billing.provider.lifecycle.change(id, { cancelAtPeriodEnd: false, cancelAt: periodEnd })
    const resumed = await alice.post('/v1/billing/resume')
    expect(resumed.body).toEqual({ status: 'active', cancelAtPeriodEnd: false, currentPeriodEnd })
    expect(billing.provider.store.subscriptions[id]?.cancelAt).toBeNull()
  })

  it.each(['cancel', 'resume'])('returns 409 for a %s of a subscription that has ended', async (action) => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    await alice.post('/v1/billing/cancel')
    billing.provider.lifecycle.cancel(id)
    const { status, body } = await alice.post(`/v1/billing/${action}`)
    expect([status, body]).toEqual([409, { error: 'billing_bad_input', reason: 'no_subscription' }])
    expect((await readStatus(alice)).status).toBe('canceled')
  })

  it('does not overwrite newer data with a slow response of the provider', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    await alice.post('/v1/billing/resume')
    let resumed: ReturnType<Caller['post']> | undefined
    await core.sql.begin(async (sql) => {
      await sql`
        update subscriptions set status = 'past_due', revision = revision + 1 where account_id = ${alice.accountId}`
      resumed = alice.post('/v1/billing/resume')
      const waitingQueries = () => core.sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(waitingQueries).toHaveLength(1)
      billing.provider.lifecycle.change(id, { status: 'past_due' })
    })
    expect((await resumed)?.body.status).toBe('past_due')
    expect((await readStatus(alice)).status).toBe('past_due')
  })

  it('opens the portal only for customers', async () => {
    const [alice, bob] = [await core.signIn(), await core.signIn()]
    await alice.post('/v1/billing/checkout', order())
    const requests = [alice, bob].map((caller) => caller.post('/v1/billing/portal', { returnPath: '/' }))
    const [opened, rejected] = await Promise.all(requests)
    expect([opened?.status, Object.keys(opened?.body).sort()]).toEqual([200, ['sessionId', 'url']])
    expect(rejected?.body).toEqual({ error: 'billing_bad_input', reason: 'no_customer' })
  })

  it.each(['free', 'platinum', 'price_pro'])(
    'returns 400 for the plan %s, which is not for sale',
    async (planId) => {
      const { status, body } = await (await core.signIn()).post('/v1/billing/checkout', order(planId))
      expect([status, body]).toEqual([
        400,
        { error: 'billing_bad_input', availablePlanIds: expect.arrayContaining(['pro']) },
      ])
    },
  )

  it('returns 503 when the provider is down', async () => {
    const alice = await core.signIn()
    await buy(alice)
    billing.provider.setBehaviour({ down: true })
    const actions = ['checkout', 'change-plan', 'portal', 'cancel', 'resume']
    const bodies = [order(), order(), { returnPath: '/' }, undefined, undefined]
    const responses = await Promise.all(
      actions.map((action, index) => alice.post(`/v1/billing/${action}`, bodies[index])),
    )
    billing.provider.setBehaviour({ down: false })
    expect(responses.map(({ status, body }) => [status, body])).toEqual(
      actions.map(() => [503, { error: 'billing_provider_unavailable' }]),
    )
  })
})
