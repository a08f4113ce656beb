import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import { startTestBilling } from '#test/support/billing.ts'

let billing: Awaited<ReturnType<typeof startTestBilling>>
beforeAll(async () => {
  billing = await startTestBilling()
})
afterAll(() => billing.provider.close())

describe('cancelNow', () => {
  const cancelNow = (id: string) => {
    const { BILLING_SECRET_KEY: secretKey, BILLING_API_BASE: apiBase } = billing.environment
    const appOrigin = () => 'https://app.test'
    const options = { secretKey, apiBase, plans: [], appOrigin }
    return createStripeBilling(options).connect()!.cancelNow(id)
  }
  const subscribe = (status: string) => {
    const start = { customer: 'cus_1', priceId: 'price_pro', metadata: {} }
    return billing.provider.lifecycle.subscribe(start, status).id
  }

  it.each(['active', 'incomplete'])('cancels an %s subscription, and is idempotent', async (status) => {
    const id = subscribe(status)
    const first = await cancelNow(id)
    expect(first).toMatchObject({ id, status: 'canceled', state: 'ended' })
    expect(await cancelNow(id)).toEqual(first)
  })

  it('throws for an unknown subscription', async () => {
    await expect(cancelNow('sub_unknown')).rejects.toMatchObject({
      code: 'billing_provider_unavailable',
      status: 502,
    })
  })
})
