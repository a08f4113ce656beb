import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, invalidPaths, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({
    plans: [
      { id: 'free', entitlements: {} },
      { id: 'studio', priceId: 'price_studio', entitlements: {} },
      { id: 'gift', priceId: null, entitlements: {} },
      { id: 'pro', priceId: 'price_pro', entitlements: {} },
    ],
  })
})
afterAll(() => core.close())

const subscribe = ({ accountId }: Caller, columns: object) => core.sql`
  insert into subscriptions ${core.sql({ account_id: accountId, plan_id: 'pro', ...columns })}`

describe('billing.status', () => {
  it('returns the free plan for an account without a subscription', async () => {
    const alice = await core.signIn()
    expect((await alice.get('/v1/billing/status')).body).toEqual({
      customerConfigured: false,
      planId: 'free',
      status: 'free',
      availablePlanIds: ['studio', 'pro'],
      cancelAtPeriodEnd: false,
      currentPeriodEnd: null,
    })
  })

  it('returns the stored subscription', async () => {
    const alice = await core.signIn()
    await subscribe(alice, {
      status: 'past_due',
      billing_customer_id: `cus_${alice.accountId}`,
      billing_subscription_id: `sub_${alice.accountId}`,
      cancel_at_period_end: true,
      current_period_end: '2030-01-01T00:00:00Z',
    })
    expect((await alice.get('/v1/billing/status')).body).toEqual({
      customerConfigured: true,
      planId: 'pro',
      status: 'past_due',
      billingCustomerId: `cus_${alice.accountId}`,
      billingSubscriptionId: `sub_${alice.accountId}`,
      availablePlanIds: ['studio', 'pro'],
      cancelAtPeriodEnd: true,
      currentPeriodEnd: '2030-01-01T00:00:00.000Z',
    })
  })

  it('omits billingSubscriptionId for a customer without a subscription', async () => {
    const alice = await core.signIn()
    await subscribe(alice, { plan_id: 'free', billing_customer_id: `cus_${alice.accountId}` })
    const { body } = await alice.get('/v1/billing/status')
    expect(body).toMatchObject({ customerConfigured: true, billingCustomerId: `cus_${alice.accountId}` })
    expect(body).not.toHaveProperty('billingSubscriptionId')
  })
})

describe('the core without a billing provider', () => {
  it.each([
    ['checkout', { planId: 'pro', returnPath: '/a' }],
    ['change-plan', { planId: 'pro', returnPath: '/a?b=c' }],
    ['portal', { returnPath: '/' }],
  ])('returns 503 billing_configuration_error for %s', async (action, body) => {
    const response = await (await core.signIn()).post(`/v1/billing/${action}`, body)
    expect([response.status, response.body]).toEqual([503, { error: 'billing_configuration_error' }])
  })

  it.each([
    ['checkout', { planId: 'pro', returnPath: '//evil' }, 'returnPath'],
    ['checkout', { planId: 'pro', returnPath: '/\\evil' }, 'returnPath'],
    ['checkout', { planId: 'pro', returnPath: 'https://evil' }, 'returnPath'],
    ['checkout', { planId: ' ', returnPath: '/' }, 'planId'],
    ['change-plan', { planId: 'pro', returnPath: '/', customerId: 'x' }, 'customerId'],
    ['portal', { returnPath: '/', planId: 'pro' }, 'planId'],
    ['portal', { returnPath: '/a\nb' }, 'returnPath'],
    ['portal', undefined, 'returnPath'],
  ])('returns 400 for an invalid body of %s: %j', async (action, body, path) => {
    expect(invalidPaths(await (await core.signIn()).post(`/v1/billing/${action}`, body))).toEqual([path])
  })

  it.each(['cancel', 'resume'])('returns 409 for %s without a customer, and 503 with one', async (action) => {
    const [newcomer, customer] = [await core.signIn(), await core.signIn()]
    await subscribe(customer, { status: 'active', billing_customer_id: `cus_${customer.accountId}` })
    const responses = [newcomer, customer].map((caller) => caller.post(`/v1/billing/${action}`))
    expect((await Promise.all(responses)).map(({ status, body }) => [status, body])).toEqual([
      [409, { error: 'billing_bad_input', reason: 'no_subscription' }],
      [503, { error: 'billing_configuration_error' }],
    ])
  })
})
