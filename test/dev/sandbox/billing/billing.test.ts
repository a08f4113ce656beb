import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SandboxBilling, startBillingProvider } from '#dev/sandbox/billing/start-billing.ts'
import { demoAccounts } from '#dev/sandbox/demo-accounts.ts'

const secretKey = 'sk_sandbox_of_the_tests'
const webhookSecret = 'whsec_of_the_sandbox'
const prices = [
  { id: 'price_sandbox_pro', name: 'Pro', amount: 1800 },
  { id: 'price_sandbox_studio', name: 'Studio & <more>', amount: 2700 },
]

interface Received {
  readonly signature: string
  readonly body: string
  readonly type: string
}

/** Starts a webhook endpoint that records events; `failNext(n)` makes it return 500 for the next `n` events. */
const startReceiver = async () => {
  const received: Received[] = []
  let failures = 0
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    const signature = String(request.headers['billing-signature'])
    received.push({ signature, body, type: JSON.parse(body).type })
    response.writeHead(failures-- > 0 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    failNext: (count: number) => {
      failures = count
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

describe('the sandbox billing provider', () => {
  let folder: string
  let provider: SandboxBilling
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let client: Stripe

  const start = async () => {
    provider = await startBillingProvider({
      secretKey,
      webhookSecret,
      prices,
      retryMs: 10,
      stateFile: join(folder, 'billing.json'),
    })
    const { hostname, port } = new URL(provider.url)
    client = new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 })
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-billing-'))
    receiver = await startReceiver()
    await start()
    provider.deliveries.setEndpoint(receiver.url)
  })
  afterEach(async () => {
    await provider.close()
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
  })

  const checkOut = async () => {
    const customer = await client.customers.create({ metadata: { account_id: 'acct_1' } })
    return client.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      client_reference_id: 'acct_1',
      line_items: [{ price: 'price_sandbox_studio', quantity: 1 }],
      success_url: 'http://app.test/ok?a=1&b=2',
      cancel_url: 'http://app.test/no',
      subscription_data: { metadata: { account_id: 'acct_1' } },
    })
  }
  const click = (path: string) => fetch(provider.url + path, { method: 'POST', redirect: 'manual' })
  const types = () => receiver.received.map(({ type }) => type).sort()

  it('has a subscription for each demo account with a paid plan', async () => {
    for (const { billing } of demoAccounts) {
      if (!billing) continue
      const subscription = await client.subscriptions.retrieve(billing.subscriptionId)
      expect(subscription).toMatchObject({ customer: billing.customerId, status: 'active' })
    }
  })

  it('closes the connection only for a customer with a simulated outage', async () => {
    const [session, other] = [await checkOut(), await checkOut()]
    const customer = String(session.customer)
    await click(`/checkout/${session.id}/pay`)
    const [subscription] = (await client.subscriptions.list({ customer })).data
    expect((await click(`/sandbox/customers/${customer}/outage`)).status).toBe(303)
    await expect(client.subscriptions.list({ customer })).rejects.toThrow(Stripe.errors.StripeConnectionError)
    await expect(client.subscriptions.retrieve(subscription!.id)).rejects.toThrow(
      Stripe.errors.StripeConnectionError,
    )
    expect((await client.subscriptions.list({ customer: String(other.customer) })).data).toEqual([])
  })

  it('delivers no event about a customer whose events are withheld', async () => {
    const [session, other] = [await checkOut(), await checkOut()]
    expect((await click(`/sandbox/customers/${session.customer}/withhold-events`)).status).toBe(303)
    for (const { id } of [session, other]) await click(`/checkout/${id}/pay`)
    await provider.deliveries.waitUntilIdle()
    expect(types()).toEqual(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid'])
    for (const { body } of receiver.received) expect(body).toContain(other.customer)
  })

  it('sets a status or end date on request, and counts the API requests that change a subscription', async () => {
    const session = await checkOut()
    await click(`/checkout/${session.id}/pay`)
    const [subscription] = (await client.subscriptions.list({ customer: String(session.customer) })).data
    const { id } = subscription!
    const read = async () => client.subscriptions.retrieve(id)
    const countWrites = async () => {
      const response = await fetch(`${provider.url}/sandbox/records?about=${session.customer}`)
      return ((await response.json()) as { records: { writes?: number }[] }[])[0]?.records.at(-1)?.writes
    }
    for (const status of ['trialing', 'unpaid', 'paused', 'incomplete']) {
      await click(`/sandbox/subscriptions/${id}/status/${status}`)
      expect((await read()).status).toBe(status)
    }
    expect((await read()).cancel_at).toBeNull()
    await click(`/sandbox/subscriptions/${id}/end-date`)
    expect(await read()).toMatchObject({ cancel_at: expect.any(Number), cancel_at_period_end: false })
    expect(await countWrites()).toBe(0)
    await client.subscriptions.update(id, { cancel_at: '' })
    expect((await read()).cancel_at).toBeNull()
    await client.subscriptions.cancel(id)
    expect(await countWrites()).toBe(2)
  })

  it('creates a subscription when the checkout is paid, and delivers signed events', async () => {
    const session = await checkOut()
    const page = await (await fetch(session.url!)).text()
    expect(page).toContain('Studio &amp; &lt;more&gt;')
    expect(page).toContain('27.00 EUR')
    const paid = await click(`/checkout/${session.id}/pay`)
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'http://app.test/ok?a=1&b=2'])
    await provider.deliveries.waitUntilIdle()
    expect(types()).toEqual(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid'])
    for (const { body, signature } of receiver.received)
      expect(client.webhooks.constructEvent(body, signature, webhookSecret)).toMatchObject({
        object: 'event',
      })
    expect(
      (await client.checkout.sessions.list({ status: 'open', customer: String(session.customer) })).data,
    ).toEqual([])
  })

  it('accepts only one payment per checkout session', async () => {
    const session = await checkOut()
    expect((await click(`/checkout/${session.id}/pay`)).status).toBe(303)
    expect((await click(`/checkout/${session.id}/pay`)).status).toBe(400)
    expect(await (await fetch(session.url!)).text()).toContain('You have already paid')
    await expect(client.checkout.sessions.expire(session.id)).rejects.toThrow('Only an open session')
  })

  it('cancels subscriptions immediately or at the end of the period, and resumes them', async () => {
    const id = 'sub_sandbox_alice'
    const pending = await client.subscriptions.update(id, { cancel_at_period_end: true })
    expect([pending.cancel_at_period_end, pending.status]).toEqual([true, 'active'])
    await click(`/sandbox/subscriptions/${id}/resume`)
    await click(`/sandbox/subscriptions/${id}/end-period`)
    expect(await client.subscriptions.retrieve(id)).toMatchObject({
      cancel_at_period_end: false,
      status: 'active',
    })
    await click(`/sandbox/subscriptions/${id}/cancel`)
    await click(`/sandbox/subscriptions/${id}/end-period`)
    expect((await client.subscriptions.retrieve(id)).status).toBe('canceled')
    expect((await client.subscriptions.cancel('sub_sandbox_carol')).status).toBe('canceled')
    await expect(client.subscriptions.cancel('sub_sandbox_carol')).rejects.toThrow()
  })

  it('repeats its response if an idempotency key is reused, and rejects the key if the parameters differ', async () => {
    const idempotencyKey = 'once'
    const first = await client.customers.create({ email: 'a@example.test' }, { idempotencyKey })
    const again = await client.customers.create({ email: 'a@example.test' }, { idempotencyKey })
    expect(again.id).toBe(first.id)
    await expect(client.customers.create({ email: 'b@example.test' }, { idempotencyKey })).rejects.toThrow()
  })

  it('retries a delivery, with an unchanged body, until the endpoint returns 2xx', async () => {
    receiver.failNext(3)
    await click('/sandbox/subscriptions/sub_sandbox_alice/cancel')
    await provider.deliveries.waitUntilIdle()
    expect(receiver.received).toHaveLength(4)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(provider.deliveries.pending()).toEqual([])
  })

  it('keeps its state and undelivered events across a restart', async () => {
    provider.deliveries.setEndpoint(null)
    await client.subscriptions.update('sub_sandbox_alice', { cancel_at_period_end: true })
    await provider.close()
    await start()
    expect(await client.subscriptions.retrieve('sub_sandbox_alice')).toMatchObject({
      cancel_at_period_end: true,
    })
    provider.deliveries.setEndpoint(receiver.url)
    await provider.deliveries.waitUntilIdle()
    expect(types()).toEqual(['customer.subscription.updated'])
  })
})
