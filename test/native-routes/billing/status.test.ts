import { describe, expect, it } from 'vitest'
import { buyPlan } from '#test/support/billing.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('billing.status', () => {
  const gateway = startTestGateway({ billing: true })

  it('returns the free plan for an account without a purchase', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { status, body } = await account.get('/v1/billing/status')
    expect(status).toBe(200)
    expect(body).toEqual({
      customerConfigured: false,
      planId: 'free',
      status: 'free',
      availablePlanIds: ['starter', 'pro'],
      cancelAtPeriodEnd: false,
      currentPeriodEnd: null,
    })
  })

  it('shows the subscription without its price', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const status = await buyPlan(gateway, account, 'starter')
    expect(status).toEqual({
      customerConfigured: true,
      planId: 'starter',
      status: 'active',
      billingCustomerId: expect.stringMatching(/^cus_/),
      billingSubscriptionId: expect.stringMatching(/^sub_/),
      availablePlanIds: ['starter', 'pro'],
      cancelAtPeriodEnd: false,
      currentPeriodEnd: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
    expect(JSON.stringify(status)).not.toContain('price_')
  })

  it('omits the subscription for a customer without one', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await account.post('/v1/billing/checkout', { planId: 'pro', returnPath: '/' })
    const { body } = await account.get('/v1/billing/status')
    expect(body).toMatchObject({ customerConfigured: true, planId: 'free', status: 'free' })
    expect(body).not.toHaveProperty('billingSubscriptionId')
  })

  it('returns 200 while the provider is down', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    gateway.billing.setBehaviour({ down: true })
    try {
      expect((await account.get('/v1/billing/status')).status).toBe(200)
    } finally {
      gateway.billing.setBehaviour({ down: false })
    }
  })
})
