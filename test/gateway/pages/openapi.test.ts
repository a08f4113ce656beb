import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { createOpenApiDocument } from '#gateway/pages/openapi.ts'
import { findEffectLimit } from '#gateway/pipeline/limits/limit-effects.ts'
import { startTestGateway } from '#test/support/gateway.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[]
  readonly requestBody?: { readonly required: boolean }
  readonly security: readonly Record<string, unknown>[]
  readonly responses: Readonly<Record<string, { content?: object; headers: Record<string, unknown> }>>
}

const document = createOpenApiDocument('operators')

const findOperation = (label: Label) => {
  const { method, path } = rowOf(label)
  const template = path.replace(/:(\w+)/g, '{$1}')
  return document.paths[template]?.[method.toLowerCase()] as unknown as Operation
}

const errorsAt = (label: Label, status: number) => {
  const found = JSON.stringify(findOperation(label).responses[status] ?? {})
  return [...found.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, code]) => code)
}

const refsIn = (value: unknown): string[] => {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [inner] : refsIn(inner)))
}

const isResolvable = (ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], document) !==
  undefined

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...document })
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it('is invalid with an operation without responses', async () => {
    const broken = structuredClone(document)
    Object.assign(broken.paths['/v1/libraries']?.get ?? {}, { responses: 'none' })
    expect((await new Validator().validate({ ...broken })).valid).toBe(false)
  })

  it('describes exactly one operation for each row', () => {
    const described = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(described.sort()).toEqual([...labels].sort())
    for (const label of labels) expect(findOperation(label).operationId).toBe(label)
  })

  it('contains no unresolved reference', () => {
    const refs = [...new Set(refsIn(document))]
    expect(refs.length).toBeGreaterThan(20)
    expect(refs.filter((ref) => !isResolvable(ref))).toEqual([])
  })

  it('contains no empty schema', () => {
    expect(JSON.stringify(document)).not.toContain('"schema":{}')
  })

  describe.each(labels)('%s', (label) => {
    const operation = findOperation(label)
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
      const described = statuses.flatMap((status) => errorsAt(label, status))
      for (const code of contract.errors ?? []) expect(described).toContain(code)
      expect(described.includes('rate_limited')).toBe(findEffectLimit(label) !== undefined)
    })

    it('describes the service headers of every response', () => {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status === 'default') continue
        expect(Object.keys(response.headers)).toEqual(
          expect.arrayContaining([
            'x-service-core-runtime',
            'x-service-native-route',
            'x-service-proxy-fallback',
          ]),
        )
      }
    })
  })

  it('derives errors from the row', () => {
    expect(errorsAt('libraries.shares.create', 401)).toEqual(['unauthorized'])
    expect(errorsAt('libraries.shares.create', 403)).toEqual(['entitlement_required', 'forbidden'])
    expect(errorsAt('libraries.detail', 404)).toEqual(['library_not_found'])
    expect(errorsAt('webhooks.links', 400)).toEqual(['validation_error', 'invalid_json'])
    expect(errorsAt('billing.checkout', 409)).toEqual(['billing_bad_input'])
    expect(errorsAt('billing.cancel', 409)).toEqual(['billing_bad_input'])
    expect(errorsAt('webhooks.billing', 504)).toEqual([])
    expect(errorsAt('tracks.list', 504)).toEqual(['core_timeout'])
    expect(errorsAt('public.track-links.detail', 401)).toEqual([])
  })

  it('lists the code of the core as well where both sides can serve a route', () => {
    const expected = ['validation_error', 'validation_failed', 'invalid_json']
    for (const label of ['libraries.create', 'tracks.create'] as const)
      expect(errorsAt(label, 400)).toEqual(expected)
  })

  it('describes the headers that the contract or the errors of a status declare', () => {
    const headersAt = (label: Label, status: number) =>
      Object.keys(findOperation(label).responses[status]?.headers ?? {})
    for (const label of labels) {
      const { headers = {} }: Contract = contracts[label]
      for (const [status, declared] of Object.entries(headers))
        expect(headersAt(label, Number(status))).toEqual(expect.arrayContaining(Object.keys(declared ?? {})))
    }
    expect(headersAt('tracks.create', 201)).toContain('location')
    expect(headersAt('libraries.create', 201)).not.toContain('location')
    expect(headersAt('libraries.create', 401)).toContain('www-authenticate')
    expect(headersAt('billing.checkout', 429)).toContain('retry-after')
    expect(headersAt('libraries.create', 409)).not.toContain('retry-after')
  })

  it('names a database error of its area for every route that can have one', () => {
    for (const label of labels) {
      const codes = [500, 503].flatMap((status) => errorsAt(label, status))
      expect(
        codes.some((code) => code?.endsWith('_database_unavailable')),
        label,
      ).toBe(true)
    }
  })

  it('describes no 400 for a route without input', () => {
    expect(findOperation('billing.cancel').responses).not.toHaveProperty('400')
    expect(findOperation('billing.portal').responses).toHaveProperty('400')
  })

  it('describes the range of a number in a query', () => {
    const { parameters } = findOperation('tracks.list')
    expect(parameters.find(({ name }) => name === 'limit')).toMatchObject({
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    })
  })

  it('requires a body only if an empty one is invalid', () => {
    expect(findOperation('libraries.create').requestBody?.required).toBe(true)
    expect(findOperation('tracks.share-links.create').requestBody?.required).toBe(false)
  })
})

describe('/openapi.json', () => {
  const gateway = startTestGateway()

  it('describes every route but the internal ones to clients, without a token', async () => {
    const { status, headers, body } = await gateway.request('GET', '/openapi.json')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('x-service-core-runtime')).toBe('native')
    expect(headers.get('x-service-native-route')).toBe('unmatched')
    expect(headers.get('x-service-proxy-fallback')).toBe('0')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument('public'))))
    const operations = Object.values<Record<string, Operation>>(body.paths).flatMap(Object.values<Operation>)
    const visible = labels.filter((label) => rowOf(label).auth !== 'internal')
    expect(visible.length).toBeLessThan(labels.length)
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([...visible].sort())
    expect(JSON.stringify(body)).not.toMatch(/\binternal(?!_error)/)
  })

  it('describes the internal routes to operators', async () => {
    const { status, body } = await gateway.requestAdmin('GET', '/openapi.json')
    expect(status).toBe(200)
    expect(body).toEqual(JSON.parse(JSON.stringify(document)))
  })
})
