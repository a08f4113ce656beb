import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { ContractParts } from '#contracts/shared/contract.ts'
import { EmailEvent, LinkEvent } from '#contracts/shared/provider-events.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { analysisSecret, sign as signCallback } from '#test/support/analysis-service.ts'
import { signBilling } from '#test/support/billing.ts'
import { createLibrary, insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { documentedError } from '#test/support/generated-bodies.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const contractOf = (label: Label): ContractParts => contracts[label]

type JsonSchema = z.core.JSONSchema.BaseSchema

// What a database, a parser or an object refuses in places where nobody thinks of it.
const texts: readonly string[] = ['a\0b', 'a\ud800', '\uffff', '\x1b', '__proto__', '\\', '🎹'.repeat(200)]
const numbers: readonly number[] = [-1, 1e308, 5e-324, 2 ** 31, 2 ** 63]
const others: readonly unknown[] = [null, true, [], {}]

const sampleOfString = ({ enum: allowed, format, pattern }: JsonSchema) => {
  if (allowed) return allowed[0]
  if (format === 'email') return 'ann@example.test'
  if (format === 'uri') return 'https://app.test/x'
  if (format === 'date') return '2026-03-01'
  if (/date-time|timestamp/.test(format ?? '')) return '2026-03-01T12:00:00Z'
  return pattern ? 'a'.repeat(64) : 'demo'
}

const propertiesOf = (schema: JsonSchema) => Object.entries(schema.properties ?? {}) as [string, JsonSchema][]

const branchOf = (schema: JsonSchema): JsonSchema =>
  (schema.anyOf?.find((one) => typeof one === 'object' && one.type !== 'null') as JsonSchema | undefined) ??
  schema

const sampleOf = (given: JsonSchema): unknown => {
  const schema = branchOf(given)
  if (schema.const !== undefined) return schema.const
  if (schema.type === 'string') return sampleOfString(schema)
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 0)
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [sampleOf(schema.items as JsonSchema)]
  return Object.fromEntries(propertiesOf(schema).map(([name, part]) => [name, sampleOf(part)]))
}

/** The sample with one of its parts replaced by each of the values that might hurt. */
const spoilt = (given: JsonSchema): unknown[] => {
  const schema = branchOf(given)
  if (schema.type === 'array') return spoilt(schema.items as JsonSchema).map((item) => [item])
  if (schema.type !== 'object' && !schema.properties) return [...texts, ...numbers, ...others]
  const sample = sampleOf(schema) as object
  return propertiesOf(schema).flatMap(([name, part]) =>
    spoilt(part).map((value) => ({ ...sample, [name]: value })),
  )
}

const inputOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const emailKey = Buffer.from('email-secret-of-the-tests')
const linksSecret = 'links-secret-of-the-tests'

const signatures: { readonly [L in Label]?: (body: string) => Record<string, string> } = {
  'webhooks.billing': (body) => ({ 'billing-signature': signBilling(body) }),
  'webhooks.links': (body) => ({
    'link-signature': createHmac('sha256', linksSecret).update(body).digest('hex'),
  }),
  'webhooks.email': (body) => {
    const moment = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', emailKey).update(`msg_1.${moment}.${body}`).digest('base64')
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': moment, 'webhook-signature': `v1,${signature}` }
  },
  'media-intelligence.callback': (body) => ({ 'media-intelligence-signature': signCallback(body) }),
}

const served = labels.filter((label) => rowOf(label).runtime !== 'proxy')

describe('whatever a caller sends', () => {
  const gateway = startTestGateway({
    storage: true,
    billing: true,
    environment: {
      EMAIL_WEBHOOK_SECRET: `whsec_${emailKey.toString('base64')}`,
      LINKS_WEBHOOK_SECRET: linksSecret,
      MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
      MEDIA_INTELLIGENCE_SECRET: analysisSecret,
      RATE_LIMIT_SHARE_EVENTS: 'off',
      RATE_LIMIT_PUBLIC_READS: 'off',
      RATE_LIMIT_ACCESS_CODES: 'off',
      RATE_LIMIT_ANALYTICS: 'off',
    },
  })
  let owner: TestAccount
  let params: Record<string, string>

  beforeAll(async () => {
    const { sql } = gateway.database
    owner = await gateway.signUp()
    const trackId = await insertTrackOf(sql, owner.accountId)
    await insertVersion(sql, trackId)
    const { packId } = await insertPackOf(sql, owner.accountId)
    const { slug } = await insertPackLink(sql, packId)
    const { id: libraryId } = await createLibrary(owner, 'Mine')
    const { body: link } = await owner.post(`/v1/tracks/${trackId}/share-links`, {})
    params = { trackId, packId, slug, libraryId, token: link.token ?? 'a'.repeat(43) }
  })

  const pathOf = (label: Label) =>
    rowOf(label).path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'unknown')

  const send = async (label: Label, path: string, body?: string) => {
    const internal = rowOf(label).auth === 'internal'
    const answer = await gateway.request(rowOf(label).method, path, {
      token: internal ? 'internal-token-of-the-tests' : owner.token,
      ...(body === undefined ? {} : { body, headers: signatures[label]?.(body) ?? {} }),
    })
    const sent = `${label} ${path.slice(0, 200)} ${body?.slice(0, 200)} ${JSON.stringify(answer.body)}`
    // The billing provider is asked for whatever a signed event is about, and may refuse to answer that.
    if (answer.body.error !== 'billing_provider_unavailable') expect(answer.status, sent).toBeLessThan(500)
    if (answer.status >= 400) documentedError(answer.status, answer.body)
    return answer.status
  }

  const sendAll = async (label: Label, requests: readonly (readonly [path: string, body?: string])[]) => {
    const queue = [...requests]
    const work = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) await send(label, ...next)
    }
    await Promise.all(Array.from({ length: 4 }, work))
  }

  it.each(served.filter((label) => contractOf(label).body))('as the body of %s, is judged', async (label) => {
    const schema = inputOf(contractOf(label).body!)
    const bodies = [...spoilt(schema), ...texts, ...numbers, ...others].map((value) => JSON.stringify(value))
    const raw = [
      '',
      '\ufeff{}',
      '{"a":1e999}',
      deep(10_000),
      `{"a":${deep(10_000)}}`,
      '{"__proto__":{"x":1}}',
    ]
    await sendAll(
      label,
      [...bodies, ...raw].map((body) => [pathOf(label), body]),
    )
  })

  it.each([
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'checkout.session.completed',
    'invoice.paid',
  ])('as what a billing event of %s is about, is judged', async (type) => {
    const objects = [...texts, ...numbers, ...others].flatMap((value) => [
      { customer: value, metadata: { accountId: 'demo' } },
      {
        id: value,
        customer: 'cus_1',
        client_reference_id: value,
        metadata: { accountId: value, account_id: value },
      },
      { id: 'sub_1', customer: 'cus_1', subscription: value, status: value, metadata: { accountId: 'demo' } },
      {
        id: 'sub_1',
        customer: 'cus_1',
        items: { data: [{ price: { id: value }, current_period_end: value }] },
      },
      {
        id: 'sub_1',
        customer: 'cus_1',
        current_period_end: value,
        cancel_at_period_end: value,
        items: value,
      },
    ])
    const events = objects.map((object) => ({
      id: `evt_${crypto.randomUUID()}`,
      type,
      created: 1_780_000_000,
      data: { object },
    }))
    await sendAll(
      'webhooks.billing',
      events.map((event) => [pathOf('webhooks.billing'), JSON.stringify(event)]),
    )
  })

  it.each([
    ['webhooks.links', LinkEvent, { event: 'link.clicked' }],
    ['webhooks.email', EmailEvent, { type: 'email.opened' }],
  ] as const)('as what an event of %s is about, is judged', async (label, schema, type) => {
    const events = spoilt(inputOf(schema)).map((event) => Object.assign({}, event, type))
    await sendAll(
      label,
      events.map((event) => [pathOf(label), JSON.stringify(event)]),
    )
  })

  it.each(texts)('as the account of a signed token, is judged: %j', async (text) => {
    const token = await gateway.issuer.mintToken(text)
    for (const [method, path, body] of [
      ['GET', '/v1/libraries'],
      ['POST', '/v1/libraries', { name: 'Mine' }],
      ['GET', '/v1/billing/status'],
      ['GET', '/v1/analytics/overview'],
    ] as const) {
      const answer = await gateway.request(method, path, { token, ...(body ? { body } : {}) })
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(500)
    }
  })

  it('as the headers of a visit, is judged', async () => {
    const headers = {
      'user-agent': '\xff\xfe',
      referer: 'http://[::1::2]/\xff',
      cookie: 'link_click_id=%00; =;;\xff',
      'x-link-click-id': '\xff'.repeat(300),
      'x-forwarded-for': '999.1.1.1, ::g',
      'x-request-id': '\xff',
      'accept-language': '\xff',
      origin: 'null',
    }
    for (const path of [`/v1/public/track-links/${params.token}`, `/v1/public/pack-links/${params.slug}`]) {
      const answer = await gateway.request('GET', path, { headers })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    }
  })

  const queries = ['a%00b', '%ED%A0%80', '%FF', '-1', '1e308', '99999999999999999999', '', '%F0%9F%8E%B9']

  it.each(served.filter((label) => contractOf(label).query))(
    'as the query of %s, is judged',
    async (label) => {
      const names = propertiesOf(inputOf(contractOf(label).query!)).map(([name]) => name)
      const all = names.flatMap((name) => [
        ...queries.map((value) => `${name}=${value}`),
        `${name}=1&${name}=2`,
        `${name}[]=1`,
        `${name}=${'9'.repeat(4000)}`,
      ])
      await sendAll(
        label,
        [...all, '__proto__=1', '%00=%00'].map((query) => [`${pathOf(label)}?${query}`]),
      )
    },
  )

  const ids = ['%F0%9F%8E%B9', '__proto__', '%EF%BF%BF', '%C2%80', "'", 'x'.repeat(4000)]

  it.each(served.filter((label) => rowOf(label).path.includes(':')))(
    'in the path of %s, is judged',
    async (label) => {
      const names = rowOf(label).path.match(/:\w+/g) ?? []
      const paths = names.flatMap((name) =>
        ids.map((id) =>
          rowOf(label)
            .path.replace(name, id)
            .replace(/:(\w+)/g, (_, one) => params[one] ?? 'x'),
        ),
      )
      await sendAll(
        label,
        paths
          .map((path) => [path, '{}'] as const)
          .map(([path, body]) => (['GET', 'HEAD'].includes(rowOf(label).method) ? [path] : [path, body])),
      )
    },
  )
})
