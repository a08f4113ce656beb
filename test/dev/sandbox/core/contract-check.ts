import { expect } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import { type Label, routeTable } from '#contracts/route-table.ts'
import type { ResponseSchemas } from '#contracts/shared/contract.ts'

const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)

// Rows with fewer parameters come first, because `/v1/libraries/:libraryId` also matches
// `/v1/libraries/shared-with-me`.
const rows = Object.entries(routeTable)
  .map(([label, [method, path]]) => ({ label: label as Label, method: method as string, path }))
  .sort((one, other) => one.path.split(':').length - other.path.split(':').length)
  .map((row) => ({ ...row, template: toPattern(row.path) }))

interface CheckedResponse {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

export const expectWithinContract = ({ method, path, status, body }: CheckedResponse) => {
  const [pathname = ''] = path.split('?')
  const row = rows.find((candidate) => candidate.method === method && candidate.template.test(pathname))
  if (!row || status >= 300) return
  const responses: ResponseSchemas = contracts[row.label].responses
  const schema = responses[status]
  expect(schema, `${row.label} ${status}`).toBeDefined()
  expect(schema ? schema.parse(body) : null, row.label).toEqual(body)
}
