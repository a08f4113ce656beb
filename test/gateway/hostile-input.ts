import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { isDeliveryLabel } from '#contracts/deliveries.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { ContractDefinition } from '#contracts/shared/contract.ts'
import { EmailEvent, LinkEvent } from '#contracts/shared/provider-events.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { deliverySecrets, signDelivery } from '#test/support/deliveries.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { createLibrary, insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import type { Platform } from '#test/support/gateway-options.ts'
import { requireDocumentedError } from '#test/support/generated-bodies.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const getContract = (label: Label): ContractDefinition => contracts[label]

type InputSchema = z.core.JSONSchema.BaseSchema

// Values that a database or parser may reject in unexpected places, or that may change an object's prototype.
const texts: readonly string[] = ['a\0b', 'a\ud800', '\uffff', '\x1b', '__proto__', '\\', '🎹'.repeat(200)]
const numbers: readonly number[] = [-1, 1e308, 5e-324, 2 ** 31, 2 ** 63]
const others: readonly unknown[] = [null, true, [], {}]

const createStringSample = ({ enum: allowed, format, pattern }: InputSchema) => {
  if (allowed) return allowed[0]
  if (format === 'email') return 'ann@example.test'
  if (format === 'uri') return 'https://app.test/x'
  if (format === 'date') return '2026-03-01'
  if (/date-time|timestamp/.test(format ?? '')) return '2026-03-01T12:00:00Z'
  return pattern ? 'a'.repeat(64) : 'demo'
}

const propertiesOf = (schema: InputSchema) =>
  Object.entries(schema.properties ?? {}) as [string, InputSchema][]

const selectBranch = (schema: InputSchema): InputSchema =>
  (schema.anyOf?.find((branch) => typeof branch === 'object' && branch.type !== 'null') as
    | InputSchema
    | undefined) ?? schema

const createSample = (given: InputSchema): unknown => {
  const schema = selectBranch(given)
  if (schema.const !== undefined) return schema.const
  if (schema.type === 'string') return createStringSample(schema)
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 0)
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [createSample(schema.items as InputSchema)]
  return Object.fromEntries(propertiesOf(schema).map(([name, part]) => [name, createSample(part)]))
}

/** Copies of a sample, each with one part replaced by a hostile value. */
const createInvalidInputs = (given: InputSchema): unknown[] => {
  const schema = selectBranch(given)
  if (schema.type === 'array') return createInvalidInputs(schema.items as InputSchema).map((item) => [item])
  if (schema.type !== 'object' && !schema.properties) return [...texts, ...numbers, ...others]
  const sample = createSample(schema) as object
  return propertiesOf(schema).flatMap(([name, part]) =>
    createInvalidInputs(part).map((value) => ({ ...sample, [name]: value })),
  )
}

const toInputSchema = (schema: z.ZodType): InputSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })

const nestArrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const served = labels.filter((label) => rowOf(label).runtime !== 'proxy')

export const testHostileInput = (platform: Platform) => {
  const gateway = startTestGateway({
    control: 'fixed',
    platform,
    storage: true,
    billing: true,
    environment: {
      ...deliverySecrets,
      MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
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

  const createPath = (label: Label) => fillPathWith(label, (name) => params[name] ?? 'unknown')

  const send = async (label: Label, path: string, body?: string) => {
    const internal = rowOf(label).auth === 'internal'
    const response = await gateway.request(rowOf(label).method, path, {
      token: internal ? 'internal-token-of-the-tests' : owner.token,
      ...(body === undefined
        ? {}
        : { body, headers: isDeliveryLabel(label) ? signDelivery(label, body) : {} }),
    })
    const sent = `${label} ${path.slice(0, 200)} ${body?.slice(0, 200)} ${JSON.stringify(response.body)}`
    // A signed event makes the gateway query the billing provider, which may reject the hostile id.
    if (response.body.error !== 'billing_provider_unavailable')
      expect(response.status, sent).toBeLessThan(500)
    if (response.status >= 400) requireDocumentedError(response.status, response.body)
    return response.status
  }

  const sendAll = async (label: Label, requests: readonly (readonly [path: string, body?: string])[]) => {
    const queue = [...sampleCases(requests, 0.3)]
    const work = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) await send(label, ...next)
    }
    await Promise.all(Array.from({ length: 4 }, work))
  }

  it.each(served.filter((label) => getContract(label).body))(
    'in the body of %s never causes a 5xx response',
    async (label) => {
      const schema = toInputSchema(getContract(label).body!)
      const bodies = [...createInvalidInputs(schema), ...texts, ...numbers, ...others].map((value) =>
        JSON.stringify(value),
      )
      const raw = [
        '',
        '\ufeff{}',
        '{"a":1e999}',
        nestArrays(10_000),
        `{"a":${nestArrays(10_000)}}`,
        '{"__proto__":{"x":1}}',
      ]
      await sendAll(
        label,
        [...bodies, ...raw].map((body) => [createPath(label), body]),
      )
    },
  )

  it.each([
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'checkout.session.completed',
    'invoice.paid',
  ])('in a billing event of type %s never causes a 5xx response', async (type) => {
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
      events.map((event) => [createPath('webhooks.billing'), JSON.stringify(event)]),
    )
  })

  it.each([
    ['webhooks.links', LinkEvent, { event: 'link.clicked' }],
    ['webhooks.email', EmailEvent, { type: 'email.opened' }],
  ] as const)('in an event for %s never causes a 5xx response', async (label, schema, type) => {
    const events = createInvalidInputs(toInputSchema(schema)).map((event) => Object.assign({}, event, type))
    await sendAll(
      label,
      events.map((event) => [createPath(label), JSON.stringify(event)]),
    )
  })

  it.each(texts)('as the account id in a signed token never causes a 5xx response: %j', async (text) => {
    const token = await gateway.issuer.mintToken(text)
    for (const [method, path, body] of [
      ['GET', '/v1/libraries'],
      ['POST', '/v1/libraries', { name: 'Mine' }],
      ['GET', '/v1/billing/status'],
      ['GET', '/v1/analytics/overview'],
    ] as const) {
      const response = await gateway.request(method, path, { token, ...(body ? { body } : {}) })
      expect(response.status, `${path} ${JSON.stringify(response.body)}`).toBeLessThan(500)
    }
  })

  it('in the headers of a visit is ignored', async () => {
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
      const response = await gateway.request('GET', path, { headers })
      expect(response.status, JSON.stringify(response.body)).toBe(200)
    }
  })

  const queries = ['a%00b', '%ED%A0%80', '%FF', '-1', '1e308', '99999999999999999999', '', '%F0%9F%8E%B9']

  it.each(served.filter((label) => getContract(label).query))(
    'in the query of %s never causes a 5xx response',
    async (label) => {
      const names = propertiesOf(toInputSchema(getContract(label).query!)).map(([name]) => name)
      const hostileQueries = names.flatMap((name) => [
        ...queries.map((value) => `${name}=${value}`),
        `${name}=1&${name}=2`,
        `${name}[]=1`,
        `${name}=${'9'.repeat(4000)}`,
      ])
      await sendAll(
        label,
        [...hostileQueries, '__proto__=1', '%00=%00'].map((query) => [`${createPath(label)}?${query}`]),
      )
    },
  )

  const ids = ['%F0%9F%8E%B9', '__proto__', '%EF%BF%BF', '%C2%80', "'", 'x'.repeat(4000)]

  it.each(served.filter((label) => rowOf(label).path.includes(':')))(
    'in the path of %s never causes a 5xx response',
    async (label) => {
      const names = rowOf(label).path.match(/:\w+/g) ?? []
      const paths = names.flatMap((name) =>
        ids.map((id) => fillPathWith(label, (other) => (name === `:${other}` ? id : (params[other] ?? 'x')))),
      )
      await sendAll(
        label,
        paths
          .map((path) => [path, '{}'] as const)
          .map(([path, body]) => (['GET', 'HEAD'].includes(rowOf(label).method) ? [path] : [path, body])),
      )
    },
  )
}
