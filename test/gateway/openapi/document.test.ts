import { gzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { codesOfCore, errorRowOf } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import { hasStoredResponses } from '#gateway/pipeline/idempotency/identify-request.ts'
import { describedCodes, document, operationOf, resolveRef } from '#test/support/api-description.ts'

const refsIn = (value: unknown): string[] => {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [inner] : refsIn(inner)))
}

const listOperationIds = ({ paths, webhooks }: typeof document) =>
  Array.from(JSON.stringify([paths, webhooks]).matchAll(/"operationId":"([^"]+)"/g), ([, id]) => id)

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...document })
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it('would be invalid if an operation had no valid responses', async () => {
    const broken = structuredClone(document)
    Object.assign(broken.paths['/v1/libraries']?.get as object, { responses: 'none' })
    expect((await new Validator().validate({ ...broken })).valid).toBe(false)
  })

  it('describes exactly one operation for each row, with its label as the id', () => {
    expect(listOperationIds(document).sort()).toEqual([...labels].sort())
    for (const label of labels) expect(operationOf(label).operationId).toBe(label)
  })

  it('contains no unresolved reference', () => {
    const refs = [...new Set(refsIn(document))]
    expect(refs.length).toBeGreaterThan(200)
    expect(refs.filter((ref) => resolveRef(ref) === undefined)).toEqual([])
  })

  it('refers to a named schema for each body', () => {
    for (const label of labels) {
      const { requestBody, responses } = operationOf(label)
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
      for (const [status, { content }] of successes)
        if (content) expect(content['application/json'].schema, `${label} ${status}`).toHaveProperty('$ref')
      if (requestBody) expect(requestBody.content['application/json'].schema, label).toHaveProperty('$ref')
    }
  })

  it('describes each operation, parameter and response in words, with examples for parameters and bodies', () => {
    for (const label of labels) {
      const { summary, description, parameters, requestBody, responses } = operationOf(label)
      expect([summary.length > 5, description.length > 10], label).toEqual([true, true])
      for (const { description, example, name } of parameters)
        expect([description.length > 10, example !== undefined || name === 'cursor'], name).toEqual([
          true,
          true,
        ])
      if (requestBody) expect(requestBody.content['application/json'].example, label).toBeTypeOf('object')
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description, `${label} ${status}`).toMatch(/^.{8,}\.$/s)
        if (!content || !status.startsWith('2')) continue
        const { example, examples } = content['application/json']
        expect(example ?? examples?.example?.value, `${label} ${status}`).toBeTypeOf('object')
      }
    }
  })

  // The budget is per operation, so the total may grow with each new route.
  it.each(['public', 'operators'] as const)(
    'averages fewer than 1,800 characters per operation: %s',
    (audience) => {
      const described = createOpenApiDocument(audience)
      const text = JSON.stringify(described)
      const operations = listOperationIds(described).length
      expect(operations).toBeGreaterThan(80)
      expect(text.length / operations).toBeLessThan(1800)
      expect(gzipSync(text).length / operations).toBeLessThan(300)
    },
  )

  it('describes no operation in more than 3,000 bytes, excluding referenced components', () => {
    const members = Object.values({ ...document.paths, ...document.webhooks }).flatMap(Object.values)
    const operations = members.filter((member) => 'operationId' in member)
    expect(operations.length).toBe(labels.length)
    const long = operations.filter((operation) => JSON.stringify(operation).length > 3000)
    expect(long.map(({ operationId }) => operationId)).toEqual([])
  })

  it('describes a body as a union if it must have exactly one of several fields', () => {
    const { oneOf } = resolveRef('#/components/schemas/NewLibraryShare') as {
      oneOf: { required: string[] }[]
    }
    expect(oneOf.map(({ required }) => required)).toEqual([
      ['targetUserId', 'accessType'],
      ['email', 'accessType'],
    ])
  })

  it("lists providers' deliveries as webhooks, with their signature headers", () => {
    expect(Object.keys(document.webhooks)).toEqual([
      'webhooks.billing',
      'webhooks.links',
      'webhooks.email',
      'media-intelligence.callback',
    ])
    expect(operationOf('webhooks.email').security).toEqual([
      { 'webhook-id': [], 'webhook-timestamp': [], 'webhook-signature': [] },
      { 'svix-id': [], 'svix-timestamp': [], 'svix-signature': [] },
    ])
    expect(document.components.securitySchemes).toMatchObject({
      'billing-signature': {
        type: 'apiKey',
        in: 'header',
        description: expect.stringContaining('HMAC-SHA256'),
      },
    })
  })

  it('contains no empty schema', () => {
    expect(JSON.stringify(document)).not.toContain('"schema":{}')
  })

  describe.each(labels)('%s', (label) => {
    const operation = operationOf(label)
    const { path, auth } = rowOf(label)
    const contract: Contract = contracts[label]

    it('describes its parameters, body and success statuses', () => {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => `:${name}`)).toEqual(path.match(/:\w+/g) ?? [])
      expect(operation.parameters.some((parameter) => parameter.in === 'query')).toBe(
        contract.query !== undefined,
      )
      expect('requestBody' in operation).toBe(contract.body !== undefined)
      for (const [status, schema] of Object.entries(contract.responses))
        expect(operation.responses[status]?.content === undefined).toBe(schema === null)
    })

    it('describes its security and its errors', () => {
      expect(operation.security.length === 0).toBe(auth === 'public')
      expect(operation.security.some((scheme) => Object.keys(scheme).length > 0)).toBe(auth !== 'public')
      const statuses = Object.keys(operation.responses).map(Number)
      const described = statuses.flatMap((status) => describedCodes(label, status))
      const own = (contract.errors ?? []).filter((code) => errorRowOf(code).statuses[0] < 500)
      for (const code of own) expect(described).toContain(code)
      expect(operation.parameters.some(({ name }) => name === 'Idempotency-Key')).toBe(
        hasStoredResponses(label),
      )
    })
  })

  it('describes once, in the default response, the headers that any response may have', () => {
    expect(Object.keys(operationOf('libraries.list').responses.default?.headers ?? {})).toEqual(
      expect.arrayContaining([
        'x-service-core-runtime',
        'x-service-native-route',
        'x-service-proxy-fallback',
        'x-request-id',
        'retry-after',
        'ratelimit',
        'idempotent-replayed',
      ]),
    )
  })

  it("derives an operation's errors from its row", () => {
    expect(describedCodes('libraries.shares.create', 401)).toEqual(['unauthorized'])
    expect(describedCodes('libraries.shares.create', 403)).toEqual(['entitlement_required', 'forbidden'])
    expect(describedCodes('libraries.detail', 404)).toEqual(['library_not_found'])
    expect(describedCodes('webhooks.links', 400)).toEqual(['validation_error', 'invalid_json'])
    expect(describedCodes('billing.checkout', 409)).toEqual(['billing_bad_input'])
    expect(describedCodes('billing.cancel', 409)).toEqual(['billing_bad_input'])
    expect(describedCodes('analytics.overview', 429)).toEqual(['analytics_rate_limited'])
    expect(describedCodes('public.track-links.detail', 401)).toEqual([])
  })

  it('describes once, as the default response, the errors that any route may return', () => {
    expect(operationOf('billing.checkout').responses).not.toHaveProperty('502')
    expect(describedCodes('billing.checkout', 'default')).toEqual(
      expect.arrayContaining([
        'internal_error',
        'idempotency_in_progress',
        'idempotency_key_reused',
        'rate_limited',
      ]),
    )
  })

  it('describes both errors that share a status if only one of them has extra fields', () => {
    const { schema } =
      operationOf('tracks.split-sheet.replace').responses[422]?.content?.['application/json'] ?? {}
    expect(schema).toEqual({
      anyOf: [
        { $ref: '#/components/schemas/SplitSheetStructuralValidationFailed' },
        { $ref: '#/components/schemas/Error' },
      ],
    })
  })

  it("describes a stream's events with named schemas", () => {
    const content = operationOf('catalog-analysis.ask').responses[200]?.content
    expect(content).toMatchObject({
      'text/event-stream': {
        'x-event-data': {
          finding: { $ref: '#/components/schemas/Finding' },
          done: { $ref: '#/components/schemas/Analysis' },
        },
        example: expect.stringMatching(/^event: \w+\ndata: \{/),
      },
    })
  })

  it("lists the core's code for invalid input as well as native's", () => {
    const { validation_error: codeOfCore } = codesOfCore
    expect(resolveRef('#/components/schemas/ValidationError')).toMatchObject({
      properties: { error: { enum: ['validation_error', codeOfCore] } },
    })
    for (const label of ['libraries.create', 'tracks.create'] as const)
      expect(describedCodes(label, 400)).toEqual(['validation_error', 'invalid_json'])
  })

  it("describes the headers that a status's contract or errors declare", () => {
    const headersAt = (label: Label, status: number) =>
      Object.keys(operationOf(label).responses[status]?.headers ?? {})
    for (const label of labels) {
      const { headers = {} }: Contract = contracts[label]
      for (const [status, declared] of Object.entries(headers))
        expect(headersAt(label, Number(status))).toEqual(expect.arrayContaining(Object.keys(declared ?? {})))
    }
    expect(headersAt('tracks.create', 201)).toContain('location')
    expect(headersAt('libraries.create', 201)).not.toContain('location')
    expect(headersAt('libraries.create', 401)).toContain('www-authenticate')
    expect(headersAt('analytics.overview', 429)).toContain('retry-after')
    expect(headersAt('libraries.create', 409)).not.toContain('retry-after')
  })

  it('describes no 400 for a route without input', () => {
    expect(operationOf('billing.cancel').responses).not.toHaveProperty('400')
    expect(operationOf('billing.portal').responses).toHaveProperty('400')
  })

  it('describes the range of a numeric query parameter', () => {
    const { parameters } = operationOf('tracks.list')
    expect(parameters.find(({ name }) => name === 'limit')).toMatchObject({
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    })
  })

  it('requires a body only where an empty body would be invalid', () => {
    expect(operationOf('libraries.create').requestBody?.required).toBe(true)
    expect(operationOf('tracks.share-links.create').requestBody).not.toHaveProperty('required')
  })
})
