import { describe, expect, it } from 'vitest'
import { type DeliveryLabel, deliveryOf } from '#contracts/deliveries.ts'
import { createDeliveryPort } from '#gateway/adapters/webhook-signatures.ts'

type Headers = Readonly<Record<string, string>>

const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
const deliveries = createDeliveryPort({ BILLING_WEBHOOK_SECRET: [secret], EMAIL_WEBHOOK_SECRET: [secret] })
const largestBody = new Uint8Array(1_048_576)
const now = String(Math.floor(Date.now() / 1000))
// About as many as a request's headers can hold.
const many = 230

const repeat = (text: string, count: number, separator: string) => Array(count).fill(text).join(separator)

const billingHeaders = (count: number): Headers => ({
  'billing-signature': `t=${now},${repeat(`v1=${'ab'.repeat(32)}`, count, ',')}`,
})

const emailHeaders = (count: number): Headers => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': now,
  'webhook-signature': repeat(`v1,${'A'.repeat(43)}=`, count, ' '),
})

const measureRejection = async (label: DeliveryLabel, headers: Headers) => {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const startedAt = performance.now()
    const verify = deliveries.requireSignature(label, (name) => headers[name])
    await expect(verify(largestBody)).rejects.toThrow(deliveryOf(label).errors.invalid)
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}

describe('a delivery with many wrong signatures', () => {
  it.each([
    ['webhooks.billing', billingHeaders],
    ['webhooks.email', emailHeaders],
  ] as const)(
    'to %s costs about as much as one with a single wrong signature',
    async (label, headersWith) => {
      const single = await measureRejection(label, headersWith(1))
      expect(await measureRejection(label, headersWith(many))).toBeLessThan(20 * single)
    },
  )
})
