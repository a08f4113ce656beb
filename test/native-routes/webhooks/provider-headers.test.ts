import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { providerHeaderNames } from '#contracts/deliveries.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const billingSecret = 'whsec_billing_secret_of_the_tests'
const linksSecret = 'links-secret-of-the-tests'
const emailSecret = `whsec_${Buffer.from('email-secret-of-the-tests').toString('base64')}`
const plans = '[{"id":"free","name":"Free","priceId":null,"entitlements":{}}]'

type Headers = Readonly<Record<string, string>>
type Signer = (body: string) => Headers

const signStripe = (payload: string) =>
  new Stripe('sk_test_unused').webhooks.generateTestHeaderString({ payload, secret: billingSecret })
const signDub = (body: string) => createHmac('sha256', linksSecret).update(body).digest('hex')

// `svix` and `standardwebhooks` sign in the same way, but use different header names.
const signEmail = (webhook: Pick<SvixWebhook, 'sign'>, prefix: string, body: string) => {
  const id = `msg_${crypto.randomUUID()}`
  const now = new Date()
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(Math.floor(now.valueOf() / 1000)),
    [`${prefix}-signature`]: webhook.sign(id, now, body),
  }
}

const billingEvent = () => ({
  id: `evt_${crypto.randomUUID()}`,
  type: 'charge.updated',
  created: 1,
  data: { object: {} },
})
const linkEvent = () => ({
  id: `evt_${crypto.randomUUID()}`,
  event: 'link.archived',
  createdAt: new Date().toISOString(),
  data: {},
})
const emailEvent = () => ({ type: 'contact.created', created_at: new Date().toISOString(), data: {} })

const senders: readonly (readonly [name: string, path: string, event: () => object, sign: Signer])[] = [
  ['stripe, as described', 'billing', billingEvent, (body) => ({ 'billing-signature': signStripe(body) })],
  ['stripe', 'billing', billingEvent, (body) => ({ 'stripe-signature': signStripe(body) })],
  ['dub, as described', 'links', linkEvent, (body) => ({ 'link-signature': signDub(body) })],
  ['dub', 'links', linkEvent, (body) => ({ 'dub-signature': signDub(body) })],
  [
    'standardwebhooks',
    'email',
    emailEvent,
    (body) => signEmail(new StandardWebhook(emailSecret), 'webhook', body),
  ],
  ['svix', 'email', emailEvent, (body) => signEmail(new SvixWebhook(emailSecret), 'svix', body)],
]

const otherNames: Headers = {
  ...providerHeaderNames,
  ...Object.fromEntries(Object.entries(providerHeaderNames).map(([described, sent]) => [sent, described])),
}

describe('the headers of a webhook delivery', () => {
  const gateway = startTestGateway({
    environment: {
      BILLING_WEBHOOK_SECRET: billingSecret,
      BILLING_PLANS: plans,
      LINKS_WEBHOOK_SECRET: linksSecret,
      EMAIL_WEBHOOK_SECRET: emailSecret,
    },
  })
  const post = async (path: string, headers: Headers, body: string) => {
    const response = await fetch(`${gateway.url}/v1/webhooks/${path}`, { method: 'POST', headers, body })
    return { status: response.status, error: (await response.json()).error }
  }

  it.each([
    ['billing', ['billing-signature'], ['stripe-signature']],
    ['links', ['link-signature'], ['dub-signature']],
    [
      'email',
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ['svix-id', 'svix-timestamp', 'svix-signature'],
    ],
  ])('to %s are described under both names', async (path, described, provided) => {
    const { body } = await gateway.request('GET', '/openapi.json')
    const { security } = body.webhooks[`webhooks.${path}`].post
    expect(security.map(Object.keys)).toEqual([described, provided])
    expect(Object.keys(body.components.securitySchemes)).toEqual(
      expect.arrayContaining([...described, ...provided]),
    )
  })

  describe.each(senders)('from %s', (_, path, event, sign) => {
    const body = JSON.stringify(event())
    const headers = sign(body)

    it('are accepted under the names that it sends', async () => {
      expect(await post(path, headers, body)).toEqual({ status: 200, error: undefined })
    })

    it('are accepted under both names if the values are equal', async () => {
      const twice = Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => [
          [name, value],
          [otherNames[name], value],
        ]),
      )
      expect(await post(path, twice, body)).toEqual({ status: 200, error: undefined })
    })

    it.each(Object.keys(headers))(
      'count as a bad signature if the value of %s differs under its other name',
      async (name) => {
        const other = headers[name]?.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
        const { status, error } = await post(
          path,
          { ...headers, [otherNames[name] ?? '']: other ?? '' },
          body,
        )
        expect(status).toBe(path === 'billing' ? 400 : 401)
        expect(error).toMatch(/_signature_invalid$/)
      },
    )
  })
})
