import { afterAll, expect, it } from 'vitest'
import { startOpenTelemetry } from '#gateway/observability/tracing-opentelemetry.ts'
import { forwardInSpan } from '#gateway/request/trace.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const collector = await startTestCollector()
afterAll(() => collector.close())

it('the span of a core request is recorded as failed if the transport throws', async () => {
  const tracer = startOpenTelemetry({
    endpoint: collector.url,
    headers: {},
    resource: { 'service.name': 'test' },
    instanceId: 'instance',
    sampledShare: 1,
    log: createRecordingLog(),
  })
  const span = tracer.startTrace('core', {})
  if (!span) throw new Error('the trace is not sampled')
  const forward = () => {
    throw new TypeError('a bug')
  }
  await expect(forwardInSpan(span, forward)).rejects.toThrow('a bug')
  await tracer.close(5000)
  expect(collector.spans).toMatchObject([
    { name: 'core', hasFailed: true, attributes: { 'error.type': 'TypeError' } },
  ])
})
