import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { errorTable } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import { type Label, routeTable } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { rowOf } from '#contracts/shared/row.ts'

const all: [Label, Contract][] = Object.values(contracts).map((contract) => [contract.label, contract])

const toCamelCase = (words: string) => words.replaceAll(/-(\w)/g, (_, first: string) => first.toUpperCase())

describe('the contract registry', () => {
  it('has one contract per row of the route table, in the same order', () => {
    expect(all.map(([label]) => label)).toEqual(Object.keys(routeTable))
    expect(Object.keys(contracts)).toEqual(Object.keys(routeTable))
  })

  it.each(all)('%s is exported by the file that its label names', async (label, contract) => {
    const [, file, verb = ''] = /^(.+)\.([^.]+)$/.exec(label) ?? []
    const module: Record<string, unknown> = await import(`../../contracts/${file}.ts`)
    expect(module[toCamelCase(verb)]).toBe(contract)
  })

  it.each(all)('%s has only success responses, and errors that the error table lists', (label, contract) => {
    const statuses = Object.keys(contract.responses).map(Number)
    expect(statuses.length).toBeGreaterThan(0)
    for (const status of statuses) {
      expect([200, 201, 202, 204]).toContain(status)
      expect(contract.responses[status] === null).toBe(status === 204)
    }
    const errors = contract.errors ?? []
    for (const code of errors) expect(Object.keys(errorTable)).toContain(code)
    expect(new Set(errors).size).toBe(errors.length)
    if (contract.body) expect(['POST', 'PUT', 'PATCH']).toContain(routeTable[label][0])
  })

  it.each(all)('%s converts to JSON Schema', (_, { query, body, responses }) => {
    for (const schema of Object.values(responses))
      if (schema) expect(JSON.stringify(z.toJSONSchema(schema, { io: 'output' }))).toContain('"properties"')
    for (const schema of [query, body])
      if (schema)
        expect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).toHaveProperty('properties')
  })

  it('limits every route of a share link, and every report of analytics', () => {
    for (const [label, { limit }] of all) {
      const { method, scope } = rowOf(label)
      if (scope?.startsWith('link:'))
        expect(limit, label).toBe(method === 'GET' ? 'public-reads' : 'share-events')
      else expect(limit === 'analytics', label).toBe(label.startsWith('analytics.'))
    }
  })

  it('has schemas that accept an empty query and reject a body that is not an object', () => {
    for (const [label, { query, body }] of all) {
      if (query) expect(query.safeParse({}).success, label).toBe(true)
      if (body)
        for (const wrong of [null, [], 'text', 7]) expect(body.safeParse(wrong).success, label).toBe(false)
    }
  })
})

describe('the error table', () => {
  it('has only error statuses, and fields that convert to JSON Schema', () => {
    for (const [code, [statuses, message, fields]] of Object.entries<
      (typeof errorTable)[keyof typeof errorTable]
    >(errorTable)) {
      for (const status of statuses) expect(status, code).toBeGreaterThanOrEqual(400)
      expect(message, code).toMatch(/^[A-Z].{10,}[.;] .+\.$/)
      if (fields) expect(() => z.toJSONSchema(z.object(fields)), code).not.toThrow()
    }
  })
})
