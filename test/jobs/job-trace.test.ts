import { afterAll, describe, expect, it } from 'vitest'
import { startOpenTelemetry } from '#gateway/observability/tracing-opentelemetry.ts'
import { startRequestTrace } from '#gateway/request/trace.ts'
import { runInJobTrace } from '#jobs/job-trace.ts'
import {
  activeTrace,
  type QueuedTrace,
  queuedTraceOf,
  type Tracer,
  traceHeadersOf,
  traceIdOf,
} from '#shared/tracing/trace.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const collector = await startTestCollector()
const startTracer = (sampledShare: number) =>
  startOpenTelemetry({
    endpoint: collector.url,
    headers: {},
    resource: { 'service.name': 'test' },
    instanceId: 'instance',
    sampledShare,
    log: createRecordingLog(),
  })
const [recordsAll, recordsNone] = [startTracer(1), startTracer(0)]
afterAll(async () => {
  await Promise.all([recordsAll.close(5000), recordsNone.close(5000)])
  await collector.close()
})

// Returns the headers that a job sends to a provider if it was queued by a request with this traceparent.
const sendFromJob = (ofGateway: Tracer | null, ofJobs: Tracer | null, traceparent?: string) => {
  const header = (name: string) => (name === 'traceparent' ? traceparent : undefined)
  const queued = queuedTraceOf(startRequestTrace(ofGateway, { method: 'POST', header }))
  return runInJobTrace({ queue: 'send-invitation', id: 'job' }, queued, ofJobs, async () => {
    const trace = activeTrace()
    if (!trace) throw new Error('the job has no trace')
    return { headers: traceHeadersOf(trace), isRecorded: trace.span !== null }
  })
}

describe('the providers that a job calls', () => {
  it.each(['00', '01'])("get the client's span if there is no collector, with flags %s", async (flags) => {
    const { traceparent } = createTraceparent(flags)
    expect((await sendFromJob(null, null, traceparent)).headers).toEqual({ traceparent })
  })

  it('are sent no trace if the request had none and there is no collector', async () => {
    expect((await sendFromJob(null, null)).headers).toEqual({})
  })

  it("get the request's span if only the gateway records spans", async () => {
    const { traceparent, traceId } = createTraceparent()
    const { headers } = await sendFromJob(recordsAll, null, traceparent)
    expect(headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    expect(headers.traceparent).not.toBe(traceparent)
  })

  it('get a separate trace, marked as not recorded, if the request was not sampled', async () => {
    const { traceparent, traceId } = createTraceparent('01')
    const { headers, isRecorded } = await sendFromJob(recordsNone, recordsAll, traceparent)
    expect(isRecorded).toBe(false)
    expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-02$/)
    expect(headers.traceparent).not.toContain(traceId)
  })
})

describe('a job whose stored trace does not consist of strings', () => {
  it.each([[null], [5], [true], [{}], [[]]])('runs without that trace: %j', async (value) => {
    const stored = { traceId: value, traceparent: value, sentTraceparent: value } as unknown as QueuedTrace
    const sent = await runInJobTrace({ queue: 'send-invitation', id: 'job' }, stored, null, async () => {
      const trace = activeTrace()
      return trace && { headers: traceHeadersOf(trace), traceId: traceIdOf(trace) }
    })
    expect(sent).toEqual({ headers: {}, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
  })
})

describe("a client's sampled flag", () => {
  it.each([
    ['00', recordsAll, true],
    ['01', recordsNone, false],
  ])('has no effect if only the jobs record spans: %s', async (flags, tracer, isRecorded) => {
    const sent = await sendFromJob(null, tracer, createTraceparent(flags).traceparent)
    expect(sent.isRecorded).toBe(isRecorded)
  })
})
