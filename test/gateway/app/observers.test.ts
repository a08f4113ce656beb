import { expect, it } from 'vitest'
import { recordRejection } from '#gateway/app/observers.ts'
import { createTextRegistry } from '#gateway/observability/metric-family.ts'
import { createMetrics } from '#gateway/observability/metrics.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

it('counts overridden methods separately from other rejected requests', async () => {
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
