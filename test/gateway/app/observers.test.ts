import { describe, expect, it } from 'vitest'
import { recordRejection, settleCore } from '#gateway/app/observers.ts'
import { createTextRegistry } from '#gateway/observability/metric-family.ts'
import { createMetrics } from '#gateway/observability/metrics.ts'
import { type RequestContext, RequestOutcome } from '#gateway/request/context.ts'
import type { SettledRequest } from '#gateway/request/route-control.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

it('rejected method overrides are counted separately from other rejected requests', async () => {
  const [metrics, log] = [createMetrics(), createRecordingLog()]
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const trace = { identity: { traceId, traceparent: null }, sent: null, span: null }
  const rejection = { code: 'bad_request', status: 400, requestId: 'req_1', trace } as const
  recordRejection({ metrics, log }, { ...rejection, reason: 'bad_request' })
  recordRejection({ metrics, log }, { ...rejection, reason: 'method_override' })
  const registry = createTextRegistry()
  registry.register(metrics.families)
  const text = await registry.format()
  expect(text).toMatch(/^# HELP crossfade_method_overrides_rejected_total .+$/m)
  expect(text).toContain('# TYPE crossfade_method_overrides_rejected_total counter\n')
  expect(text).toContain('\ncrossfade_method_overrides_rejected_total 1\n')
  expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual(
    Array(2).fill([
      'request rejected',
      {
        requestId: 'req_1',
        traceId,
        route: 'unmatched',
        runtime: 'native',
        reason: 'static',
        status: 400,
        error: 'bad_request',
      },
    ]),
  )
})

describe("a request's result at the core", () => {
  const settle = (differing: Partial<RequestOutcome>) => {
    const settled: SettledRequest[] = []
    const observers = { settled: (result: SettledRequest) => settled.push(result), ended: () => undefined }
    const forwarded = { label: 'tracks.list', runtime: 'proxy', status: 200 } as const
    const outcome = { ...new RequestOutcome(), ...forwarded, ...differing }
    settleCore(observers, { outcome, durationMs: () => 5 } as unknown as RequestContext)
    return settled
  }
  const fallback = { fallbackReason: 'bug', nativeResult: 'fell-back', nativeMs: 3 } as const

  it.each<[string, Partial<RequestOutcome>, { failed: boolean; nativeMs: number | null }]>([
    ['a response', {}, { failed: false, nativeMs: null }],
    ['a response to a paused route', { fallbackReason: 'breaker' }, { failed: false, nativeMs: null }],
    ['a failure', { status: 503 }, { failed: true, nativeMs: null }],
    ['an aborted response', { error: 'core_bad_response' }, { failed: true, nativeMs: null }],
    ['a fallback', fallback, { failed: false, nativeMs: 3 }],
    [
      'a fallback whose client disconnected',
      { ...fallback, status: undefined },
      { failed: false, nativeMs: 3 },
    ],
  ])('is reported for %s', (_, outcome, expected) => {
    expect(settle(outcome)).toEqual([
      { side: 'core', label: 'tracks.list', epoch: 0, durationMs: 5, ...expected },
    ])
  })

  it.each<[string, Partial<RequestOutcome>]>([
    ['a path without a row', { label: 'unmatched' }],
    ['a client that disconnected before the response', { status: undefined }],
    ['a client that disconnected while it sent its body', { status: 499 }],
    ['a response of the gateway itself', { runtime: 'native' }],
    [
      'a fallback for which the route is not to blame',
      { ...fallback, fallbackReason: 'database', nativeMs: null },
    ],
    ['a token that could not be verified', { fallbackReason: 'authentication' }],
  ])('is not reported for %s', (_, outcome) => {
    expect(settle(outcome)).toEqual([])
  })
})
