import { createHmac } from 'node:crypto'
import type { TestGateway } from '#test/support/gateway.ts'
import type { ForgedDelivery } from './forgeries.ts'

export const key = Buffer.from('email-secret-of-the-tests')
export const secret = `whsec_${key.toString('base64')}`
export const environment = { EMAIL_WEBHOOK_SECRET: secret }

/** Seconds since 1970. This is a function because several test files load the module once and use it for minutes. */
export const readClock = () => Math.floor(Date.now() / 1000)

export const eventOf = (emailId: string, type = 'email.delivered', at = '2026-03-01T12:00:00Z') => ({
  type,
  created_at: at,
  data: { email_id: emailId, to: ['ann@example.test'], click: { ipAddress: '203.0.113.7' } },
})

export const digest = (
  id: string,
  moment: number | string,
  body: string,
  signedWith: Buffer | string = key,
) => createHmac('sha256', signedWith).update(`${id}.${moment}.${body}`).digest('base64')

export interface EmailSigningOptions {
  readonly id?: string
  readonly moment?: number
}

export const signed = (
  body: string,
  { id = `msg_${crypto.randomUUID()}`, moment = readClock() }: EmailSigningOptions = {},
): ForgedDelivery => ({
  headers: {
    'webhook-id': id,
    'webhook-timestamp': String(moment),
    'webhook-signature': `v1,${digest(id, moment, body)}`,
  },
  body: Buffer.from(body),
})

export const post = async ({ url }: TestGateway, { headers, body }: ForgedDelivery) => {
  const response = await fetch(`${url}/v1/webhooks/email`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json() }
}
