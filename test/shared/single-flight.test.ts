import { expect, it } from 'vitest'
import { createSingleFlight } from '#shared/single-flight.ts'
import { activeTrace, runInTrace } from '#shared/tracing/trace.ts'

it('a single flight runs a call only once for all requests that share it, outside their traces', async () => {
  const share = createSingleFlight<unknown>()
  let calls = 0
  const readTrace = async () => {
    calls += 1
    return activeTrace() ?? 'none'
  }
  const runAs = (traceId: string) =>
    runInTrace({ identity: { traceId, traceparent: null }, sent: null, span: null }, () =>
      share('key', readTrace),
    )
  expect(await Promise.all([runAs('a'), runAs('b')])).toEqual(['none', 'none'])
  expect(calls).toBe(1)
})
