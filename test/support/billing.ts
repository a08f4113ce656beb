import { createHmac } from 'node:crypto'
import { type SandboxBilling, startBillingProvider } from '#sandbox/billing/start-billing.ts'
import type { TestAccount, TestGateway } from './gateway.ts'

const secretKey = 'sk_test_of_the_tests'
export const billingSecret = 'whsec_of_the_tests'

export const appOrigin = 'https://app.test'

interface TestBilling {
  readonly provider: SandboxBilling
  readonly environment: Readonly<Record<string, string>>
}

/** A billing provider that sells the plans of the tests. */
export const startTestBilling = async (): Promise<TestBilling> => {
  const provider = await startBillingProvider({
    secretKey,
    webhookSecret: billingSecret,
    retryMs: 20,
    prices: [
      { id: 'price_starter', name: 'Starter', amount: 900 },
      { id: 'price_pro', name: 'Pro', amount: 1900 },
      { id: 'price_unknown', name: 'Of no plan', amount: 100 },
    ],
  })
  return {
    provider,
    environment: {
      BILLING_SECRET_KEY: secretKey,
      BILLING_API_BASE: provider.url,
      BILLING_WEBHOOK_SECRET: billingSecret,
      APP_ORIGIN: appOrigin,
    },
  }
}

interface Signing {
  readonly secret?: string
  readonly at?: number
}

/** The `billing-signature` of a body. */
export const signBilling = (
  body: string | Buffer,
  { secret = billingSecret, at = Date.now() }: Signing = {},
) => {
  const moment = Math.floor(at / 1000)
  return `t=${moment},v1=${createHmac('sha256', secret).update(`${moment}.`).update(body).digest('hex')}`
}

/** Clicks through the hosted page of a checkout, as a buyer does, and waits until the gateway has heard of it. */
export const payAt = async ({ billing }: TestGateway, { url }: { readonly url: string }) => {
  const paid = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' })
  await billing.deliveries.settled()
  return paid
}

/** Buys a plan through checkout; answers the status of billing after it. */
export const buy = async (gateway: TestGateway, account: TestAccount, planId = 'pro') => {
  const { body: session } = await account.post('/v1/billing/checkout', { planId, returnPath: '/plans' })
  await payAt(gateway, session)
  return (await account.get('/v1/billing/status')).body
}

/** The requests to the provider's API that changed something, while `work` ran. */
export const writesDuring = async ({ billing }: TestGateway, work: () => Promise<unknown>) => {
  const before = billing.requests.length
  await work()
  return billing.requests.slice(before).filter(({ method }) => method !== 'GET')
}

let eventsMade = 0

/** An event of the provider, made by hand. */
export const billingEvent = (type: string, object: object, event: object = {}) => ({
  id: `evt_made_${eventsMade++}`,
  type,
  created: Math.floor(Date.now() / 1000),
  data: { object },
  ...event,
})

/** Delivers an event, well signed. */
export const deliver = (gateway: TestGateway, event: object, signing: Signing = {}) => {
  const body = JSON.stringify(event)
  const headers = { 'billing-signature': signBilling(body, signing) }
  return gateway.request('POST', '/v1/webhooks/billing', { headers, body })
}
