import { expect } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import { type Label, routeTable } from '#contracts/route-table.ts'
import type { ResponseSchemas } from '#contracts/shared/contract.ts'

const templateOf = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)

// `/v1/libraries/shared-with-me` before `/v1/libraries/:libraryId`.
const rows = Object.entries(routeTable)
  .map(([label, [method, path]]) => ({ label: label as Label, method: method as string, path }))
  .sort((one, other) => one.path.split(':').length - other.path.split(':').length)
  .map((row) => ({ ...row, template: templateOf(row.path) }))

interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

/** A success of the core is one that the contract of its route knows, and says nothing beyond it. */
export const expectWithinContract = ({ method, path, status, body }: Answered) => {
  const [pathname = ''] = path.split('?')
  const row = rows.find((candidate) => candidate.method === method && candidate.template.test(pathname))
  if (!row || status >= 300) return
  const responses: ResponseSchemas = contracts[row.label].responses
  const schema = responses[status]
  expect(schema, `${row.label} ${status}`).toBeDefined()
  expect(schema ? schema.parse(body) : null, row.label).toEqual(body)
}
