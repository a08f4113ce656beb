import { describe, expect, it } from 'vitest'
import { appOrigin, buyPlan, deleteCustomer } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('billing.portal', () => {
  const gateway = startTestGateway({ billing: true })

  it('returns a page that shows the customer’s subscription', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId } = await buyPlan(gateway, account)
    const { status, body } = await account.post('/v1/billing/portal', { returnPath: '/settings' })
    expect(status).toBe(200)
    expect(body).toEqual({ sessionId: expect.any(String), url: expect.stringMatching(/^http/) })
    const page = await (await fetch(body.url)).text()
    expect(page).toContain(billingSubscriptionId)
    expect(page).toContain(`${appOrigin}/settings`)
  })

  it('syncs a change that was made in the portal', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id } = await buyPlan(gateway, account)
    await fetch(`${gateway.billing.url}/sandbox/subscriptions/${id}/cancel`, {
      method: 'POST',
      redirect: 'manual',
    })
    await gateway.billing.deliveries.waitUntilIdle()
    expect((await account.get('/v1/billing/status')).body.cancelAtPeriodEnd).toBe(true)
  })

  it('returns 409 for an account that is not a customer yet', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const response = await account.post('/v1/billing/portal', { returnPath: '/' })
    expect([response.status, response.body]).toEqual([
      409,
      errorBody('billing_bad_input', { reason: 'no_customer' }),
    ])
  })

  it('returns 409 for an account whose customer was deleted at the provider', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingCustomerId } = await buyPlan(gateway, account)
    await deleteCustomer(gateway, billingCustomerId)
    const { status, body } = await account.post('/v1/billing/portal', { returnPath: '/' })
    expect([status, body.reason]).toEqual([409, 'no_customer'])
  })

  it.each([{ returnPath: '//evil.test' }, { returnPath: '/', planId: 'pro' }, {}])(
    'returns 400 for the body %j',
    async (body) => {
      const account = await gateway.signUp({ plan: 'free' })
      const response = await account.post('/v1/billing/portal', body)
      expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    },
  )
})
