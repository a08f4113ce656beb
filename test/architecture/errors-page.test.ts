import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatErrorsPage } from '#dev/tools/api/errors-page.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')

describe('docs/errors.md', () => {
  it('matches what `npm run errors-page` writes', () => {
    expect(page).toBe(formatErrorsPage())
  })

  it('lists the routes, fields and headers of each error code', () => {
    const rowOf = (code: string) => page.split('\n').find((line) => line.startsWith(`| \`${code}\` |`))
    expect(rowOf('library_name_conflict')).toMatch(/\| - \| - \| `libraries.create`, `libraries.update` \|$/)
    expect(rowOf('billing_bad_input')).toContain('| `reason` (optional), `availablePlanIds` (optional) | - |')
    expect(rowOf('gateway_busy')).toContain('| `retry-after` | every request |')
    expect(rowOf('operator_token_required')).toContain('| the operator API |')
    expect(rowOf('route_not_found')).toContain('| requests that no route serves |')
  })
})
