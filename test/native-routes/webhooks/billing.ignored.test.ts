import { describe, expect, it } from 'vitest'
import { createBillingEvent, deliverBillingEvent, signBilling } from '#test/support/billing.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('webhooks.billing', () => {
  const gateway = startTestGateway({ billing: true })

  const thinEvent = (type: string, event: object = {}) => ({
    id: `evt_thin_${crypto.randomUUID()}`,
    object: 'v2.core.event',
    type,
    created: '2026-01-02T03:04:05.678Z',
    livemode: false,
    related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
    ...event,
  })

  it.each([
    'v1.billing.meter.no_meter_found',
    'v2.core.event_destination.ping',
    'customer.subscription.updated',
  ])('ignores and records a thin event: %s', async (type) => {
    const event = thinEvent(type)
    const { status: code, body } = await deliverBillingEvent(gateway, event)
    expect([code, body]).toEqual([200, { received: true, status: 'ignored', type }])
    expect((await deliverBillingEvent(gateway, event)).body.status).toBe('duplicate')
    const rows = await gateway.database.sql`
        select type, outcome, occurred_at = ${event.created}::timestamptz as has_time
        from billing_events where id = ${event.id}`
    expect(rows).toEqual([{ type, outcome: 'ignored', has_time: true }])
  })

  it.each([
    ['an empty object', {}],
    ['no id', createBillingEvent('customer.created', {}, { id: undefined })],
    ['an id that cannot be stored', createBillingEvent('customer.created', {}, { id: '\u0000' })],
    ['no type', createBillingEvent('customer.created', {}, { type: undefined })],
    ['a type that is not text', createBillingEvent('customer.created', {}, { type: ['invoice.paid'] })],
    ['a long type', createBillingEvent(`customer.${'x'.repeat(200)}`, {})],
    ['no time', createBillingEvent('customer.created', {}, { created: undefined })],
    [
      'a time after the year 9999',
      createBillingEvent('customer.created', {}, { created: 9_000_000_000_000_000 }),
    ],
    ['a thin event without a time', thinEvent('v2.core.event_destination.ping', { created: 'now' })],
    ['something else', { jsonrpc: '2.0', method: 'ping' }],
  ])('ignores a JSON object that is not an event it knows: %s', async (_, event) => {
    const { status: code, body } = await deliverBillingEvent(gateway, event)
    const type = 'type' in event && typeof event.type === 'string' ? event.type : ''
    expect([code, body]).toEqual([200, { received: true, status: 'ignored', type }])
  })

  it.each(['[]', '"customer.created"', '7', 'null'])(
    'returns 400 for %s, which is not an object',
    async (body) => {
      const headers = { 'billing-signature': signBilling(body) }
      const response = await gateway.request('POST', '/v1/webhooks/billing', { headers, body })
      expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    },
  )
})
