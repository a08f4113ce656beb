import { describe, expect, it } from 'vitest'
import { DateRangeQuery, isDateRange } from '#contracts/shared/date-range.ts'
import { faultPaths } from '../inputs.ts'

describe('a date range', () => {
  it.each([
    { from: '2026-03-01', to: '2026-03-01' },
    { from: '2024-01-01', to: '2024-12-31' },
    { from: '2026-03-01' },
    { to: '2026-03-01' },
    {},
  ])('may be %j', (range) => {
    expect(DateRangeQuery.parse(range)).toEqual(range)
  })

  it('is refused backwards and over 366 days', () => {
    expect(faultPaths(DateRangeQuery, { from: '2026-03-02', to: '2026-03-01' })).toEqual(['to'])
    expect(faultPaths(DateRangeQuery, { from: '2025-01-01', to: '2026-01-02' })).toEqual(['to'])
    expect(isDateRange('2025-01-01', '2026-01-01')).toBe(true)
  })

  it('is refused once for a day that does not exist', () => {
    expect(faultPaths(DateRangeQuery, { from: '2026-02-30', to: '2026-03-01' })).toEqual(['from'])
  })
})
