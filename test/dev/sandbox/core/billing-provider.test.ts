import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appOrigin, startTestBilling } from '#test/support/billing.ts'
import { type Caller, type RunningCore, runCore } from './running-core.ts'

let billing: Awaited<ReturnType<typeof startTestBilling>>
let core: RunningCore
beforeAll(async () => {
  billing = await startTestBilling()
  core = await runCore({
    BILLING_PLANS: JSON.stringify([
      { id: 'free', entitlements: {} },
      { id: 'starter', priceId: 'price_starter', entitlements: {} },
      { id: 'pro', priceId: 'price_pro', entitlements: {} },
    ]),
    ...billing.environment,
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

/** Checks out and pays at the provider. The core receives no webhook for it. */
const buy = async (caller: Caller, planId = 'pro') => {
  const { body } = await caller.post('/v1/billing/checkout', order(planId))
  return billing.provider.lifecycle.pay(findSession(body.sessionId))
}

const readStatus = async (caller: Caller) => (await caller.get('/v1/billing/status')).body

describe('the core with a billing provider', () => {
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

  it('returns 409 for a second subscription, even if no webhook has reported the first one yet', async () => {
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

  it('changes the plan of the existing subscription', async () => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    const response = await alice.post('/v1/billing/change-plan', order('starter'))
    expect([response.status, response.body]).toEqual([200, { mode: 'switched', planId: 'starter' }])
    expect(billing.provider.store.subscriptions[id]?.priceId).toBe('price_starter')
    expect((await readStatus(alice)).planId).toBe('starter')
  })

  it('cancels and resumes a subscription, even if the provider stores the cancellation as a date', async () => {
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

  it.each(['cancel', 'resume'])('returns 409 for %s if the subscription has ended', async (action) => {
    const alice = await core.signIn()
    const { id } = await buy(alice)
    await alice.post('/v1/billing/cancel')
    billing.provider.lifecycle.cancel(id)
    const { status, body } = await alice.post(`/v1/billing/${action}`)
    expect([status, body]).toEqual([409, { error: 'billing_bad_input', reason: 'no_subscription' }])
    expect((await readStatus(alice)).status).toBe('canceled')
  })

  it('opens the portal only for accounts that are customers of the provider', async () => {
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
})
