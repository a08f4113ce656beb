import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { startOpenTelemetry } from '#gateway/observability/tracing-opentelemetry.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const closeTimeoutMs = 15_000
const collector = await startTestCollector()
afterAll(() => collector.close())

// Holds the collector's responses until they are released.
const holdResponses = () => {
  const held: ServerResponse[] = []
  collector.respond = (response) => void held.push(response)
  return {
    held,
    release: () => {
      collector.respond = (response) => void response.writeHead(200).end()
      for (const response of held.splice(0)) response.writeHead(200).end()
    },
  }
}

describe("a process's last spans", () => {
  it('are all sent while a partial batch awaits its response, even if one batch is rejected', async () => {
    const log = createRecordingLog()
    const tracer = startOpenTelemetry({
      endpoint: collector.url,
      headers: {},
      resource: { 'service.name': 'test' },
      instanceId: 'instance',
      sampledShare: 1,
      log,
    })
    const recordSpans = (count: number) => {
      for (let recorded = 0; recorded < count; recorded += 1) tracer.startTrace('span', {})?.end()
    }
    const failures = () => log.lines.filter(({ message }) => message === 'failed to export spans')
    const { held, release } = holdResponses()
    recordSpans(10)
    await expect.poll(() => held.length, { timeout: 5000 }).toBe(1)

    recordSpans(2000)
    let isClosed = false
    const closing = tracer.close(closeTimeoutMs).then(() => {
      isClosed = true
    })
    await expect.poll(() => held.length).toBe(5)
    expect(collector.spans).toHaveLength(2010)
    expect(failures()).toEqual([])

    held.pop()?.writeHead(400).end()
    await expect.poll(failures).toHaveLength(1)
    expect(isClosed).toBe(false)
    release()
    await closing
  })
})
