import { describe, expect, it } from 'vitest'
import { appOrigin, buy } from '#test/support/billing.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('billing.portal', () => {
  const gateway = startTestGateway({ billing: true })

  it('leads to a page where the customer sees their own subscription', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId } = await buy(gateway, account)
    const { status, body } = await account.post('/v1/billing/portal', { returnPath: '/settings' })
    expect(status).toBe(200)
    expect(body).toEqual({ sessionId: expect.any(String), url: expect.stringMatching(/^http/) })
    const page = await (await fetch(body.url)).text()
    expect(page).toContain(billingSubscriptionId)
    expect(page).toContain(`${appOrigin}/settings`)
  })

  it('takes over what was done there', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const { billingSubscriptionId: id } = await buy(gateway, account)
    await fetch(`${gateway.billing.url}/sandbox/subscriptions/${id}/cancel`, {
      method: 'POST',
      redirect: 'manual',
    })
    await gateway.billing.deliveries.settled()
    expect((await account.get('/v1/billing/status')).body.cancelAtPeriodEnd).toBe(true)
  })

  it('refuses an account that is no customer', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const refusal = await account.post('/v1/billing/portal', { returnPath: '/' })
    expect([refusal.status, refusal.body]).toEqual([
      409,
      { error: 'billing_bad_input', reason: 'no_customer' },
    ])
  })

  it.each([{ returnPath: '//evil.test' }, { returnPath: '/', planId: 'pro' }, {}])(
    'refuses the body %j',
    async (body) => {
      const account = await gateway.signUp({ plan: 'free' })
      const refusal = await account.post('/v1/billing/portal', body)
      expect([refusal.status, refusal.body.error]).toEqual([400, 'validation_error'])
    },
  )
})
