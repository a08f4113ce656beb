import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createBillingEvent, payCheckout, signBilling } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestWorker } from '#test/support/worker.ts'

const emailKey = Buffer.from('email-secret-of-the-tests')
const secrets = {
  LINKS_WEBHOOK_SECRET: 'links-secret-of-the-tests',
  EMAIL_WEBHOOK_SECRET: `whsec_${emailKey.toString('base64')}`,
}

const gateway = startTestGateway({ control: 'fixed', billing: true, environment: secrets })
const worker = startTestWorker(gateway)

describe('billing on Workers', () => {
  it('checks out, changes plan, cancels and processes the webhook events', async () => {
    const { token } = await gateway.signUp({ plan: 'free' })
    const send = (path: string, body: object = {}) =>
      worker.request('POST', `/v1/billing/${path}`, { token, body })
    gateway.billing.deliveries.setEndpoint(`${worker.origin()}/v1/webhooks/billing`)
    const session = await send('checkout', { planId: 'starter', returnPath: '/plans' })
    expect(session.status).toBe(201)
    await payCheckout(gateway, session.body)
    expect(gateway.billing.deliveries.history[0]?.status).toBe(200)
    expect((await send('change-plan', { planId: 'pro', returnPath: '/' })).body).toEqual({
      mode: 'switched',
      planId: 'pro',
    })
    expect((await send('cancel')).body).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await gateway.billing.deliveries.waitUntilIdle()
    const { body } = await worker.request('GET', '/v1/billing/status', { token })
    expect(body).toMatchObject({ planId: 'pro', status: 'active', cancelAtPeriodEnd: true })
  })

  it('returns 503 while the provider is unavailable', async () => {
    const { token } = await gateway.signUp({ plan: 'free' })
    gateway.billing.setBehaviour({ down: true })
    const body = { planId: 'pro', returnPath: '/' }
    const response = await worker.request('POST', '/v1/billing/checkout', { token, body })
    gateway.billing.setBehaviour({ down: false })
    expect([response.status, response.body]).toEqual([503, errorBody('billing_provider_unavailable')])
  })
})

describe('webhooks on Workers', () => {
  const post = (name: string, body: string, headers: Record<string, string>) =>
    worker.request('POST', `/v1/webhooks/${name}`, { body, headers })

  it('verify the signature of a billing event', async () => {
    const body = JSON.stringify(createBillingEvent('customer.created', {}))
    const signature = signBilling(body)
    expect((await post('billing', body, { 'billing-signature': signature })).body.status).toBe('ignored')
    const forged = await post('billing', `${body} `, { 'billing-signature': signature })
    expect([forged.status, forged.body]).toEqual([400, errorBody('billing_signature_invalid')])
  })

  it('verify the signature of a link event', async () => {
    const event = { id: 'evt_1', event: 'link.clicked', createdAt: '2026-03-01T12:00:00Z', data: {} }
    const body = JSON.stringify(event)
    const signature = createHmac('sha256', secrets.LINKS_WEBHOOK_SECRET).update(body).digest('hex')
    expect((await post('links', body, { 'link-signature': signature })).body.status).toBe('unmapped')
    expect((await post('links', `${body} `, { 'link-signature': signature })).status).toBe(401)
  })

  it('verify the signature of an e-mail event', async () => {
    const moment = String(Math.floor(Date.now() / 1000))
    const event = { type: 'email.opened', created_at: '2026-03-01T12:00:00Z', data: { email_id: 'unknown' } }
    const body = JSON.stringify(event)
    const signature = createHmac('sha256', emailKey).update(`msg_1.${moment}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': moment,
      'webhook-signature': `v1,${signature}`,
    }
    expect((await post('email', body, headers)).body.reason).toBe('delivery_not_found')
    expect((await post('email', `${body} `, headers)).status).toBe(401)
  })
})
