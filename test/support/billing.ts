import { createHmac } from 'node:crypto'
import { type SandboxBilling, startBillingProvider } from '#dev/sandbox/billing/start-billing.ts'
import type { TestAccount, TestGateway } from './gateway.ts'

const secretKey = 'sk_test_of_the_tests'
export const billingSecret = 'whsec_of_the_tests'

export const appOrigin = 'https://app.test'

interface TestBilling {
  readonly provider: SandboxBilling
  readonly environment: Readonly<Record<string, string>>
}

export const startTestBilling = async (): Promise<TestBilling> => {
  const provider = await startBillingProvider({
    secretKey,
    webhookSecret: billingSecret,
    retryMs: 20,
    prices: [
      { id: 'price_starter', name: 'Starter', amount: 900 },
      { id: 'price_pro', name: 'Pro', amount: 1900 },
      { id: 'price_unknown', name: 'Without a plan', amount: 100 },
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

interface BillingSigningOptions {
  readonly secret?: string
  readonly at?: number
}

export const signBilling = (
  body: string | Buffer,
  { secret = billingSecret, at = Date.now() }: BillingSigningOptions = {},
) => {
  const timestamp = Math.floor(at / 1000)
  return `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

export const payCheckout = async ({ billing }: TestGateway, { url }: { readonly url: string }) => {
  const paid = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' })
  await billing.deliveries.waitUntilIdle()
  return paid
}

export const buyPlan = async (gateway: TestGateway, account: TestAccount, planId = 'pro') => {
  const { body: session } = await account.post('/v1/billing/checkout', { planId, returnPath: '/plans' })
  await payCheckout(gateway, session)
  return (await account.get('/v1/billing/status')).body
}

/** As in the provider's dashboard: its subscriptions end. */
export const deleteCustomer = async ({ billing }: TestGateway, customerId: string) => {
  await fetch(`${billing.url}/v1/customers/${customerId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${secretKey}` },
  })
  await billing.deliveries.waitUntilIdle()
}

export const captureProviderWrites = async ({ billing }: TestGateway, work: () => Promise<unknown>) => {
  const before = billing.requests.length
  await work()
  return billing.requests.slice(before).filter(({ method }) => method !== 'GET')
}

let eventCount = 0

export const createBillingEvent = (type: string, object: object, event: object = {}) => ({
  id: `evt_made_${eventCount++}`,
  type,
  created: Math.floor(Date.now() / 1000),
  data: { object },
  ...event,
})

/** Delivers an event. Its signature is valid unless `signing` changes that. */
export const deliverBillingEvent = (
  gateway: TestGateway,
  event: object,
  signing: BillingSigningOptions = {},
) => {
  const body = JSON.stringify(event)
  const headers = { 'billing-signature': signBilling(body, signing) }
  return gateway.request('POST', '/v1/webhooks/billing', { headers, body })
}
