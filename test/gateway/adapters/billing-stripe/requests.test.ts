import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import type { BillingProvider } from '#native-routes/billing/ports.ts'
import { itThoroughly } from '#test/support/count-cases.ts'

const secretKey = 'sk_test_of_the_requests'
const plans = [
  { id: 'pro', name: 'Pro & more', priceId: 'price_pro', entitlements: {} },
  { id: 'free', name: 'Free', priceId: null, entitlements: {} },
]
const subscription = {
  id: 'sub_1',
  customer: 'cus_1',
  status: 'active',
  created: 1_700_000_000,
  metadata: { account_id: 'acct_1' },
  cancel_at_period_end: false,
  items: { data: [{ id: 'si_1', price: { id: 'price_pro' } }] },
}
const session = { id: 'cs_1', url: 'https://pages.test/cs_1' }
const openSessions = [
  { id: 'cs_1', metadata: { checkout_ordinal: '1' } },
  { id: 'cs_2', metadata: { checkout_ordinal: '2' } },
]

const respondTo = ({ method = '', url = '' }: IncomingMessage) => {
  if (method === 'GET' && url.startsWith('/v1/checkout/sessions')) return { data: openSessions }
  if (method === 'GET' && url.startsWith('/v1/subscriptions?')) return { data: [subscription] }
  return url.startsWith('/v1/subscriptions/') ? subscription : session
}

const parseForm = (form: string) => [...new URLSearchParams(form)].sort()

const record = async (request: IncomingMessage) => {
  const { pathname, search } = new URL(request.url ?? '', 'http://provider.test')
  const { headers, method } = request
  const key = headers['idempotency-key']
  const body = await text(request)
  return {
    method,
    pathname,
    query: parseForm(search),
    body: parseForm(body),
    type: body === '' ? null : headers['content-type'],
    authorization: headers.authorization,
    version: headers['stripe-version'],
    key: key === undefined || /^[\da-f-]{36}$/.test(String(key)) ? typeof key : key,
  }
}

let requests: Awaited<ReturnType<typeof record>>[]
let handle: RequestListener
const server = createServer((request, response) => handle(request, response))
const apiBase = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)))
beforeEach(() => {
  requests = []
  handle = async (request, response) => {
    requests.push(await record(request))
    response.end(JSON.stringify(respondTo(request)))
  }
})

const connect = () => {
  const appOrigin = () => 'https://app.test'
  return createStripeBilling({ secretKey, apiBase: apiBase(), plans, appOrigin }).connect()!
}
const connectLibrary = () =>
  new Stripe(secretKey, { host: '127.0.0.1', port: new URL(apiBase()).port, protocol: 'http' })

type Calls = readonly [
  title: string,
  ours: (provider: BillingProvider) => Promise<unknown>,
  library: (stripe: Stripe) => Promise<unknown>,
]

const once = () => ({ idempotencyKey: crypto.randomUUID() })
const order = {
  accountId: 'acct_1',
  customerId: 'cus_1',
  planId: 'pro',
  returnPath: '/plans?a=1&b=ü',
  ordinal: 3,
  clickId: 'click [1]',
}
const returnUrl = 'https://app.test/plans?a=1&b=%C3%BC'
const calls: readonly Calls[] = [
  [
    'a checkout session',
    (provider) => provider.openCheckout(order),
    (stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          customer: 'cus_1',
          client_reference_id: 'acct_1',
          line_items: [{ price: 'price_pro', quantity: 1 }],
          success_url: returnUrl,
          cancel_url: returnUrl,
          metadata: { account_id: 'acct_1', checkout_ordinal: '3', link_click_id: 'click [1]' },
          subscription_data: { metadata: { account_id: 'acct_1' } },
        },
        once(),
      ),
  ],
  [
    'the end of earlier checkout sessions',
    (provider) => provider.expireEarlierCheckouts('cus_1'),
    async (stripe) => {
      await stripe.checkout.sessions.list({ customer: 'cus_1', status: 'open', limit: 100 })
      await stripe.checkout.sessions.expire('cs_1', {}, once())
    },
  ],
  [
    'a portal session',
    (provider) => provider.openPortal('cus_1', '/plans?a=1&b=ü'),
    (stripe) => stripe.billingPortal.sessions.create({ customer: 'cus_1', return_url: returnUrl }, once()),
  ],
  [
    'a subscription',
    (provider) => provider.findSubscription('sub_1'),
    (stripe) => stripe.subscriptions.retrieve('sub_1'),
  ],
  [
    'the subscriptions of a customer',
    (provider) => provider.listSubscriptions('cus_1'),
    (stripe) => stripe.subscriptions.list({ customer: 'cus_1', status: 'all', limit: 100 }),
  ],
  [
    'a change of plan',
    (provider) => provider.changePlan('sub_1', 'pro'),
    async (stripe) => {
      await stripe.subscriptions.retrieve('sub_1')
      const change = { items: [{ id: 'si_1', price: 'price_pro' }] }
      await stripe.subscriptions.update(
        'sub_1',
        { ...change, proration_behavior: 'create_prorations' },
        once(),
      )
    },
  ],
  [
    'a cancellation at the end of the period',
    (provider) => provider.cancelAtPeriodEnd('sub_1'),
    (stripe) => stripe.subscriptions.update('sub_1', { cancel_at_period_end: true }, once()),
  ],
  [
    'a resumed subscription with a date',
    async (provider) => {
      const found = (await provider.findSubscription('sub_1'))!
      requests = []
      return provider.resume({ ...found, pendingCancellation: 'on-a-date' })
    },
    (stripe) => stripe.subscriptions.update('sub_1', { cancel_at: '' }, once()),
  ],
  [
    'an immediate cancellation',
    (provider) => provider.cancelNow('sub_1'),
    (stripe) => stripe.subscriptions.cancel('sub_1', { prorate: true }, once()),
  ],
]

describe('requests to the billing provider', () => {
  it.each(calls)("for %s equal those that the provider's own library sends", async (_, ours, library) => {
    await ours(connect())
    const sent = requests
    requests = []
    await library(connectLibrary())
    expect(sent.length).toBeGreaterThan(0)
    expect(sent).toEqual(requests)
  })

  it('that create a customer have one idempotency key per account and e-mail address', async () => {
    const create = (email: string | null) => connect().createCustomer({ accountId: 'acct_1', email })
    await create('ann@example.test')
    await create('ann@example.test')
    await create(null)
    await connect().createCustomer({ accountId: 'acct_1', email: null, replaces: 'cus_1' })
    const [first, repeated, other, replacement] = requests
    expect(first).toEqual(repeated)
    expect(first).toMatchObject({
      pathname: '/v1/customers',
      body: [
        ['email', 'ann@example.test'],
        ['metadata[account_id]', 'acct_1'],
      ],
    })
    expect(first?.key).toMatch(/^customer-[0-9a-f]{64}$/)
    expect(new Set([first?.key, other?.key, replacement?.key]).size).toBe(3)
  })

  it.each(['..', '.', 'sub_1/../../account', 'sub_1?expand', ''])(
    'are never sent if their path would contain the id %j',
    async (id) => {
      await expect(connect().findSubscription(id)).rejects.toMatchObject({ status: 502 })
      expect(requests).toEqual([])
    },
  )
})

describe('responses from the billing provider', () => {
  const respondWith = (status: number, body: string, headers = {}) => {
    handle = (request, response) => {
      requests.push({} as (typeof requests)[number])
      request.resume()
      response.writeHead(status, headers).end(body)
    }
  }
  const errorOf = (error: object) => JSON.stringify({ error })
  const read = () => connect().listSubscriptions('cus_1')

  it.each([
    [400, errorOf({ type: 'invalid_request_error', code: 'parameter_invalid' }), 502],
    [400, errorOf({ type: 'idempotency_error', code: 'resource_missing' }), 502],
    [402, errorOf({ type: 'card_error' }), 502],
    [409, errorOf({ type: 'idempotency_error' }), 502],
    [429, errorOf({ type: 'invalid_request_error', code: 'rate_limit' }), 503],
    [500, errorOf({ type: 'api_error' }), 503],
    [502, '<html>bad gateway</html>', 503],
    [200, '<html>a page</html>', 503],
    [200, errorOf({ type: 'api_error' }), 502],
    [200, '{"data":[{"id":"sub_1"}]}', 502],
    [200, 'null', 502],
    [404, 'null', 502],
  ])('with status %i and the body %s cause a %i', async (status, body, expected) => {
    respondWith(status, body)
    await expect(read()).rejects.toMatchObject({ code: 'billing_provider_unavailable', status: expected })
    expect(requests).toHaveLength(1)
  })

  it.each([401, 403])('with status %i cause billing_configuration_error', async (status) => {
    respondWith(status, errorOf({ type: 'invalid_request_error' }))
    await expect(read()).rejects.toMatchObject({ code: 'billing_configuration_error' })
  })

  const missing = errorOf({ type: 'invalid_request_error', code: 'resource_missing' })

  it('are read as an empty list if the customer was deleted', async () => {
    handle = (request, response) => {
      request.resume()
      if (request.url === '/v1/customers/cus_1') return response.end('{"id":"cus_1","deleted":true}')
      response.writeHead(404).end(missing)
    }
    expect(await read()).toEqual([])
  })

  it('are no list if the customer never existed, as with the key of a different account', async () => {
    respondWith(404, missing)
    await expect(read()).rejects.toMatchObject({ code: 'billing_provider_unavailable', status: 502 })
  })

  it('about something other than the customer do not make it look deleted', async () => {
    handle = (request, response) => {
      request.resume()
      if (request.method === 'GET') return response.end('{"id":"cus_1"}')
      response.writeHead(400).end(missing)
    }
    await expect(connect().openCheckout(order)).rejects.toMatchObject({ status: 502 })
  })

  it('that repeat an earlier failure do not prevent a customer from being created', async () => {
    const create = () => connect().createCustomer({ accountId: 'acct_1', email: null })
    handle = async (request, response) => {
      requests.push(await record(request))
      const [first, ...later] = requests
      if (later.length > 0 && later.at(-1)?.key !== first?.key) return response.end('{"id":"cus_1"}')
      response.writeHead(500, later.length > 0 ? { 'idempotent-replayed': 'true' } : {})
      response.end(errorOf({ type: 'api_error' }))
    }
    await expect(create()).rejects.toMatchObject({ code: 'billing_provider_unavailable', status: 503 })
    expect(requests).toHaveLength(1)
    expect(await create()).toBe('cus_1')
  })

  it('are not followed if they redirect', async () => {
    respondWith(302, '{}', { location: '/v1/elsewhere' })
    await expect(read()).rejects.toMatchObject({ status: 502 })
    expect(requests).toHaveLength(1)
  })

  it("add only the provider's error type to our error, not the text of its code or message", async () => {
    respondWith(
      400,
      errorOf({ type: 'invalid_request_error', code: 'sub_1 of ann@example.test', message: 'secret' }),
    )
    const error = await read().catch((thrown) => thrown)
    expect(error.cause.code).toBe('invalid_request_error 400')
  })

  itThoroughly('count as an outage if the body does not end in time', async () => {
    handle = (request, response) => {
      request.resume()
      response.writeHead(200).write('{"data":')
    }
    await expect(read()).rejects.toMatchObject({ status: 503, cause: { code: 'connection_error' } })
    server.closeAllConnections()
  })
})
