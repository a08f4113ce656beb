import { createHmac } from 'node:crypto'
import postgres from 'postgres'
import { Webhook } from 'standardwebhooks'
import { signEvent } from '../sandbox/billing/objects.ts'
import { startBillingProvider } from '../sandbox/billing/start-billing.ts'
import type { Bench } from './open-bench.ts'

export const secretKey = 'sk_of_the_bench'
const accounts = 200

export const billingSecret = 'whsec_of_the_bench'
export const linksSecret = 'links-secret-of-the-bench'
export const emailSecret = `whsec_${Buffer.from('email-secret-of-the-bench').toString('base64')}`

export interface BenchDelivery {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const json = { 'content-type': 'application/json' }

const billingDelivery = (id: string, type: string, object: object): BenchDelivery => {
  const body = JSON.stringify({ id, type, created: Math.floor(Date.now() / 1000), data: { object } })
  return {
    path: '/v1/webhooks/billing',
    body,
    headers: { ...json, ...signEvent(billingSecret, { id, type, body }) },
  }
}

const linkDelivery = (event: object): BenchDelivery => {
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', linksSecret).update(body).digest('hex')
  return { path: '/v1/webhooks/links', body, headers: { ...json, 'link-signature': signature } }
}

const emailDelivery = (id: string, event: object): BenchDelivery => {
  const [body, now] = [JSON.stringify(event), new Date()]
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = new Webhook(emailSecret).sign(id, now, body)
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  return { path: '/v1/webhooks/email', body, headers: { ...json, ...headers } }
}

let createdEvents = 0
const nextNumber = () => createdEvents++ % accounts
const newId = (prefix: string) => `${prefix}_bench_${createdEvents}`

const createSubscription = (place: number) => ({
  id: `sub_${place}`,
  customer: `cus_${place}`,
  status: 'active',
  created: 1_780_000_000,
  metadata: { account_id: `acct_${place}` },
  cancel_at_period_end: false,
  items: { data: [{ id: `si_${place}`, current_period_end: 1_790_000_000, price: { id: 'price_pro' } }] },
})

export const createBillingDelivery = () =>
  billingDelivery(newId('evt'), 'customer.subscription.updated', createSubscription(nextNumber()))

export const createLinkDelivery = () =>
  linkDelivery({
    id: newId('lnk'),
    event: 'link.clicked',
    createdAt: new Date().toISOString(),
    data: {
      click: {
        country: 'DE',
        city: 'Berlin',
        continent: 'EU',
        device: 'Mobile',
        referer: 'news.example',
        qr: false,
      },
      link: { externalId: `track_link:link_${nextNumber()}` },
    },
  })

export const createEmailDelivery = () =>
  emailDelivery(newId('msg'), {
    type: 'email.opened',
    created_at: new Date().toISOString(),
    data: { email_id: `email_${nextNumber()}`, to: ['press@example.test'] },
  })

export const fillDatabase = async (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const places = Array.from({ length: accounts }, (_, place) => place)
  await sql`insert into packs (id, owner_id, name) values ('pack_bench', 'acct_0', 'Bench')`
  await sql`insert into tracks (id, owner_id, title, artist) values ('track_bench', 'acct_0', 'Bench', 'The Benches')`
  await sql`insert into track_share_links ${sql(
    places.map((place) => ({
      id: `link_${place}`,
      track_id: 'track_bench',
      token_hash: place.toString(16).padStart(64, '0'),
      token_preview: 'none',
    })),
  )}`
  await sql`insert into pack_invitations ${sql(
    places.map((place) => ({
      id: `invitation_${place}`,
      pack_id: 'pack_bench',
      email: 'press@example.test',
      provider_email_id: `email_${place}`,
    })),
  )}`
  await sql.end()
}

export const startBillingProviderWithSubscriptions = async (stopAtEnd: Bench['stopAtEnd']) => {
  const provider = await startBillingProvider({ secretKey, webhookSecret: billingSecret, prices: [] })
  stopAtEnd({ stop: () => provider.close() })
  for (let place = 0; place < accounts; place++) {
    const { id, customer, created, metadata, status } = createSubscription(place)
    provider.store.customers[customer] = { id: customer, created, email: null, metadata }
    provider.store.subscriptions[id] = {
      ...{ id, customer, created, metadata, status, itemId: `si_${place}`, priceId: 'price_pro' },
      ...{ periodEnd: 1_790_000_000, cancelAtPeriodEnd: false, cancelAt: null },
    }
  }
  return provider
}

export const deliverEvents = async (
  origin: string,
  { events, connections, make }: { events: number; connections: number; make: () => BenchDelivery },
  expected: string,
) => {
  let left = events
  const deliver = async () => {
    for (; left > 0; ) {
      left -= 1
      const { path, body, headers } = make()
      const response = await fetch(origin + path, { method: 'POST', body, headers })
      const text = await response.text()
      if (!response.ok || !text.includes(expected))
        throw new Error(`unexpected response to a delivery: ${response.status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, deliver))
}
