import { afterEach, describe, expect, it, vi } from 'vitest'
import { startOpenTelemetry } from '#gateway/observability/tracing-opentelemetry.ts'
import { parentIdIn } from '#shared/tracing/trace-context.ts'
import { startTestCollector, type TestCollector } from '#test/support/otlp/collector.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { startTracedGateway } from './traced-gateway.ts'

const { gateway, collector } = await startTracedGateway({ core: 'recording' })
const log = createRecordingLog()
const secret = 'Bearer secret-of-the-collector'

const startTracer = (endpoint: string, recordingLog = log) =>
  startOpenTelemetry({
    endpoint,
    headers: { authorization: secret },
    resource: { 'service.name': 'test' },
    instanceId: 'instance',
    sampledShare: 1,
    log: recordingLog,
  })

const recordSpans = (tracer: ReturnType<typeof startTracer>, count: number) => {
  for (let recorded = 0; recorded < count; recorded += 1) tracer.startTrace('span', {})?.end()
}

describe('while the collector', () => {
  const respondAs: Readonly<Record<string, TestCollector['respond']>> = {
    'does not respond': () => undefined,
    'closes its connections': (response) => void response.destroy(),
    'responds with something other than protobuf': (response) =>
      void response.writeHead(200).end('\xff\xff<html>'),
    'rejects the spans': (response) => void response.writeHead(400).end(secret),
    'is overloaded': (response) => void response.writeHead(503, { 'retry-after': '1' }).end(),
  }

  afterEach(() => {
    collector.respond = (response) => void response.writeHead(200).end()
  })

  it.each(Object.entries(respondAs))('%s, requests are served', async (_, respond) => {
    collector.respond = respond
    const account = await gateway.signUp()
    const { traceparent, traceId } = createTraceparent()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => account.get('/v1/libraries', { traceparent })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    await collector.waitForTrace(traceId, 'GET libraries.list')
    expect((await account.get('/v1/tracks')).status).toBe(200)
    expect(JSON.stringify(gateway.log.lines)).not.toContain(secret)
  })
})

describe("a process's spans", () => {
  it('are sent when the process ends', async () => {
    const tracer = startTracer(collector.url)
    const span = tracer.startTrace('last span', {})
    span?.end()
    await tracer.close(5000)
    expect(collector.spans.map(({ spanId }) => spanId)).toContain(span && parentIdIn(span.context))
    expect(collector.requests.at(-1)?.headers.authorization).toBe(secret)
  })

  it('are also sent with the headers in OTEL_EXPORTER_OTLP_TRACES_HEADERS, which the exporter reads itself', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'x-of-exporter=1')
    const tracer = startTracer(collector.url)
    vi.unstubAllEnvs()
    recordSpans(tracer, 1)
    await tracer.close(5000)
    expect(collector.requests.at(-1)?.headers).toMatchObject({ authorization: secret, 'x-of-exporter': '1' })
  })

  it("delay the process's exit no longer than allowed", async () => {
    const stalled = await startTestCollector()
    stalled.respond = () => undefined
    const tracer = startTracer(stalled.url)
    recordSpans(tracer, 1)
    await tracer.close(100)
    await stalled.close()
  })

  it('are dropped if too many are waiting, which is logged once', async () => {
    const stalled = await startTestCollector()
    stalled.respond = () => undefined
    const tracer = startTracer(stalled.url)
    recordSpans(tracer, 5000)
    await expect.poll(() => stalled.spans.length).toBeGreaterThan(0)
    expect(log.lines.filter(({ message }) => message === 'spans dropped')).toEqual([
      {
        level: 'error',
        fields: { failure: expect.objectContaining({ name: 'SpanQueueFull' }) },
        message: 'spans dropped',
      },
    ])
    expect(tracer.lostSpans()).toBe(5000 - 2048)
    await tracer.close(100)
    expect(stalled.spans.length).toBeLessThanOrEqual(2048)
    await stalled.close()
  })

  it("that are rejected are logged with the collector's status, but without its response", async () => {
    const rejecting = await startTestCollector()
    rejecting.respond = (response) => void response.writeHead(401, secret).end(secret)
    const rejections = createRecordingLog()
    const tracer = startTracer(rejecting.url, rejections)
    recordSpans(tracer, 1)
    await tracer.close(5000)
    expect(rejections.lines).toMatchObject([
      {
        level: 'error',
        fields: { failure: { name: 'SpansRejected', code: '401' } },
        message: 'failed to export spans',
      },
    ])
    expect(JSON.stringify(rejections.lines)).not.toContain(secret)
    await rejecting.close()
  })

  it('that cannot reach the collector are logged without its key', async () => {
    const refusals = createRecordingLog()
    // Nothing listens at the discard port.
    const tracer = startTracer('http://127.0.0.1:9', refusals)
    recordSpans(tracer, 600)
    await expect.poll(() => refusals.lines.length, { timeout: 15_000 }).toBeGreaterThan(0)
    await tracer.close(100)
    // Spans are sent in batches. On a slow machine, several may have failed by now.
    for (const line of refusals.lines) {
      expect(line).toMatchObject({
        level: 'error',
        fields: { failure: { code: 'ECONNREFUSED' } },
        message: 'failed to export spans',
      })
    }
    expect(JSON.stringify([...log.lines, ...refusals.lines])).not.toContain(secret)
  })
})
