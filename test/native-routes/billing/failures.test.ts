import { describe, expect, it } from 'vitest'
import { buyPlan } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const order = { planId: 'pro', returnPath: '/plans' }

describe('billing without configuration', () => {
  const unset = startTestGateway()
  const withoutPrices = startTestGateway({
    billing: true,
    environment: { BILLING_PLANS: '[{"id":"free","name":"Free","priceId":null,"entitlements":{}}]' },
  })

  it.each([
    ['checkout', order],
    ['change-plan', order],
    ['portal', { returnPath: '/' }],
  ])('%s returns 503 without a provider', async (action, body) => {
    const account = await unset.signUp({ plan: 'free' })
    const response = await account.post(`/v1/billing/${action}`, body)
    expect([response.status, response.body]).toEqual([503, errorBody('billing_configuration_error')])
  })

  it.each(['checkout', 'change-plan'])('%s returns 503 if no plan has a price', async (action) => {
    const account = await withoutPrices.signUp({ plan: 'free' })
    const response = await account.post(`/v1/billing/${action}`, order)
    expect([response.status, response.body]).toEqual([503, errorBody('billing_configuration_error')])
  })

  it('reports an invalid body before the missing provider', async () => {
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
  ])('%s returns 503 until the provider is available again', async (action, body) => {
    const account = await gateway.signUp({ plan: 'free' })
    if (action !== 'checkout') await buyPlan(gateway, account, 'starter')
    gateway.billing.setBehaviour({ down: true })
    const response = await account.post(`/v1/billing/${action}`, body)
    gateway.billing.setBehaviour({ down: false })
    expect([response.status, response.body]).toEqual([503, errorBody('billing_provider_unavailable')])
    expect((await account.post(`/v1/billing/${action}`, body)).status).toBeLessThan(300)
  })

  it('gives up on a slow provider before the route times out', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    gateway.billing.setBehaviour({ delayMs: 4500 })
    const response = await account.post('/v1/billing/checkout', order)
    gateway.billing.setBehaviour({ delayMs: 0 })
    expect([response.status, response.body]).toEqual([503, errorBody('billing_provider_unavailable')])
  })
})

describe('billing with an API key that the provider rejects', () => {
  const wrongKey = 'sk_test_other_account'
  const gateway = startTestGateway({ billing: true, environment: { BILLING_SECRET_KEY: wrongKey } })

  it('returns 503 with billing_configuration_error, and does not log the key', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const response = await account.post('/v1/billing/checkout', order)
    expect([response.status, response.body]).toEqual([503, errorBody('billing_configuration_error')])
    expect(JSON.stringify(gateway.log.lines)).toContain('invalid_request_error 401')
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/sk_test|other_account/)
  })
})

describe('billing without a database', () => {
  const gateway = startTestGateway({ billing: true, throughRelay: true })

  it('returns 503 with billing_database_unavailable', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    gateway.relay.setUnavailable(true)
    for (const [method, path, body] of [
      ['GET', 'status', undefined],
      ['POST', 'checkout', order],
      ['POST', 'cancel', undefined],
    ] as const) {
      const response = await gateway.request(method, `/v1/billing/${path}`, { token: account.token, body })
      expect([response.status, response.body]).toEqual([503, errorBody('billing_database_unavailable')])
    }
  })

  it('returns 503 with billing_database_unavailable if migrations are missing', async () => {
    gateway.relay.setUnavailable(false)
    const account = await gateway.signUp({ plan: 'free' })
    await gateway.database.sql`alter table subscriptions rename to renamed`
    try {
      const response = await account.post('/v1/billing/checkout', order)
      expect([response.status, response.body]).toEqual([503, errorBody('billing_database_unavailable')])
    } finally {
      await gateway.database.sql`alter table renamed rename to subscriptions`
    }
  })
})
