import { describe, expect, it } from 'vitest'
import { DateRangeQuery, isDateRange } from '#contracts/shared/date-range.ts'
import { issuePaths } from '../inputs.ts'

describe('DateRangeQuery', () => {
  it.each([
    { from: '2026-03-01', to: '2026-03-01' },
    { from: '2024-01-01', to: '2024-12-31' },
    { from: '2026-03-01' },
    { to: '2026-03-01' },
    {},
  ])('accepts %j', (range) => {
    expect(DateRangeQuery.parse(range)).toEqual(range)
  })

  it('rejects a range that is reversed or longer than 366 days', () => {
    expect(issuePaths(DateRangeQuery, { from: '2026-03-02', to: '2026-03-01' })).toEqual(['to'])
    expect(issuePaths(DateRangeQuery, { from: '2025-01-01', to: '2026-01-02' })).toEqual(['to'])
    expect(isDateRange('2025-01-01', '2026-01-01')).toBe(true)
  })

  it('reports one issue for a day that does not exist', () => {
    expect(issuePaths(DateRangeQuery, { from: '2026-02-30', to: '2026-03-01' })).toEqual(['from'])
  })
})
