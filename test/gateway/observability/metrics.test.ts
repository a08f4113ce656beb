import { describe, expect, it } from 'vitest'
import { createMetrics } from '#gateway/observability/metrics.ts'
import { RequestOutcome } from '#gateway/request/context.ts'

const listSeries = (requests: readonly (Partial<RequestOutcome> & { readonly httpStatus?: number })[]) => {
  const metrics = createMetrics()
  for (const { httpStatus = 200, ...outcome } of requests)
    metrics.observe({ ...new RequestOutcome(), label: 'tracks.list', ...outcome }, httpStatus, 0.01)
  const family = metrics.families.find(({ name }) => name === 'crossfade_request_duration_seconds')
  return family?.collect() ?? []
}

describe('request durations', () => {
  it('are recorded in one series if the requests have the same labels', () => {
    expect(listSeries([{}, {}, {}])).toHaveLength(1)
  })

  it.each([
    { label: 'tracks.create' },
    { page: 'probe' },
    { runtime: 'proxy' },
    { reason: 'split' },
    { fallbackReason: 'timeout' },
    { httpStatus: 404 },
  ] as const)('are recorded in a separate series for %j', (differing) => {
    expect(listSeries([{}, differing, {}, differing])).toHaveLength(2)
  })
})
