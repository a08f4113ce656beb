import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({
    BILLING_PLANS: JSON.stringify([
      { id: 'free', entitlements: {} },
      { id: 'pro', priceId: 'price_pro', entitlements: {} },
    ]),
  })
})
afterAll(() => core.close())

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
  ])('returns 400 for %s with an invalid body: %j', async (action, body, path) => {
    expect(invalidPaths(await (await core.signIn()).post(`/v1/billing/${action}`, body))).toEqual([path])
  })

  it.each(['cancel', 'resume'])("returns 409 to a newcomer's %s, and 503 to a customer's", async (action) => {
    const [newcomer, customer] = [await core.signIn(), await core.signIn()]
    const { accountId } = customer
    await core.sql`
      insert into subscriptions (account_id, plan_id, status, billing_customer_id)
      values (${accountId}, 'pro', 'active', ${`cus_${accountId}`})`
    const responses = [newcomer, customer].map((caller) => caller.post(`/v1/billing/${action}`))
    expect((await Promise.all(responses)).map(({ status, body }) => [status, body])).toEqual([
      [409, { error: 'billing_bad_input', reason: 'no_subscription' }],
      [503, { error: 'billing_configuration_error' }],
    ])
  })
})
