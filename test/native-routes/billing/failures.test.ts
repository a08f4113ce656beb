import { describe, expect, it } from 'vitest'
import { buy } from '#test/support/billing.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const order = { planId: 'pro', returnPath: '/plans' }

describe('billing without what it needs', () => {
  const unset = startTestGateway()
  const priceless = startTestGateway({
    billing: true,
    environment: { BILLING_PLANS: '[{"id":"free","name":"Free","priceId":null,"entitlements":{}}]' },
  })

  it.each([
    ['checkout', order],
    ['change-plan', order],
    ['portal', { returnPath: '/' }],
  ])('%s says that no provider is configured', async (action, body) => {
    const account = await unset.signUp({ plan: 'free' })
    const refusal = await account.post(`/v1/billing/${action}`, body)
    expect([refusal.status, refusal.body]).toEqual([503, { error: 'billing_configuration_error' }])
  })

  it.each(['checkout', 'change-plan'])('%s says that there is nothing to buy', async (action) => {
    const account = await priceless.signUp({ plan: 'free' })
    const refusal = await account.post(`/v1/billing/${action}`, order)
    expect([refusal.status, refusal.body]).toEqual([503, { error: 'billing_configuration_error' }])
  })

  it('still refuses a bad body first', async () => {
    const account = await unset.signUp({ plan: 'free' })
    expect((await account.post('/v1/billing/checkout', {})).body.error).toBe('validation_error')
  })
})

describe('billing while the provider fails', () => {
  const gateway = startTestGateway({ billing: true })

  it.each([
    ['checkout', order],
    ['change-plan', order],
    ['portal', { returnPath: '/' }],
    ['cancel', undefined],
    ['resume', undefined],
  ])('%s says so, and is well again when the provider is', async (action, body) => {
    const account = await gateway.signUp({ plan: 'free' })
    if (action !== 'checkout') await buy(gateway, account, 'starter')
    gateway.billing.behave({ down: true })
    const refusal = await account.post(`/v1/billing/${action}`, body)
    gateway.billing.behave({ down: false })
    expect([refusal.status, refusal.body]).toEqual([503, { error: 'billing_provider_unavailable' }])
    expect((await account.post(`/v1/billing/${action}`, body)).status).toBeLessThan(300)
  })

  it('gives up on a provider that is slow before the route itself is given up', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    gateway.billing.behave({ delayMs: 4500 })
    const refusal = await account.post('/v1/billing/checkout', order)
    gateway.billing.behave({ delayMs: 0 })
    expect([refusal.status, refusal.body]).toEqual([503, { error: 'billing_provider_unavailable' }])
  })
})

describe('billing with a key that the provider does not take', () => {
  const wrongKey = 'sk_test_of_somebody_else'
  const gateway = startTestGateway({ billing: true, environment: { BILLING_SECRET_KEY: wrongKey } })

  it('is a matter of the configuration, and the key stays unsaid', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const refusal = await account.post('/v1/billing/checkout', order)
    expect([refusal.status, refusal.body]).toEqual([503, { error: 'billing_configuration_error' }])
    expect(JSON.stringify(gateway.log.lines)).toContain('StripeAuthenticationError')
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/sk_test|somebody_else/)
  })
})

describe('billing without a database', () => {
  const gateway = startTestGateway({ billing: true, throughRelay: true })

  it('names its database', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    gateway.relay.refuse(true)
    for (const [method, path, body] of [
      ['GET', 'status', undefined],
      ['POST', 'checkout', order],
      ['POST', 'cancel', undefined],
    ] as const) {
      const answer = await gateway.request(method, `/v1/billing/${path}`, { token: account.token, body })
      expect([answer.status, answer.body]).toEqual([503, { error: 'billing_database_unavailable' }])
    }
  })

  it('names it too where its migrations are missing', async () => {
    gateway.relay.refuse(false)
    const account = await gateway.signUp({ plan: 'free' })
    await gateway.database.sql`alter table subscriptions rename to renamed`
    try {
      const answer = await account.post('/v1/billing/checkout', order)
      expect([answer.status, answer.body]).toEqual([503, { error: 'billing_database_unavailable' }])
    } finally {
      await gateway.database.sql`alter table renamed rename to subscriptions`
    }
  })
})
