import { expect, it } from 'vitest'
import { findSafety } from '#client/request-operation.ts'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string }[]
}

const listOperations = () =>
  Object.entries(createOpenApiDocument('public').paths).flatMap(([template, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined
      if (!operation) return []
      const refs = operation.parameters?.map(({ $ref }) => $ref) ?? []
      return [{ method, template, hasKey: refs.includes('#/components/parameters/IdempotencyKey') }]
    }),
  )

it('the client retries every read, and exactly the writes that accept an idempotency key', () => {
  const operations = listOperations()
  expect(operations.filter(({ hasKey }) => hasKey).length).toBeGreaterThan(30)
  for (const { method, template, hasKey } of operations) {
    const expected = method === 'get' ? 'read' : hasKey ? 'key' : 'none'
    expect([method, template, findSafety(method, template)]).toEqual([method, template, expected])
  }
})
