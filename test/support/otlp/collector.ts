import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { readJsonSpans } from './read-json-spans.ts'
import { type ExportedMetric, readMetrics } from './read-metrics.ts'
import { type ExportedSpan, readSpans } from './read-spans.ts'

type Respond = (response: ServerResponse) => void

const respondOk: Respond = (response) => void response.writeHead(200).end()

export interface TestCollector {
  readonly url: string
  readonly spans: readonly ExportedSpan[]
  readonly metrics: readonly (readonly ExportedMetric[])[]
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  readonly bodies: readonly Buffer[]
  /** Replaces the response to later requests. Their contents are still recorded. */
  respond: Respond
  /** Waits until this trace has a span with this name, then returns all spans of the trace. */
  waitForTrace(traceId: string, name: string): Promise<ExportedSpan[]>
  close(): Promise<void>
}

/** Starts a collector that accepts OTLP over HTTP and decodes what it receives. */
export const startTestCollector = async (port = 0): Promise<TestCollector> => {
  const spans: ExportedSpan[] = []
  const metrics: ExportedMetric[][] = []
  const bodies: Buffer[] = []
  const requests: { path: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (incoming, outgoing) => {
    requests.push({ path: incoming.url ?? '', headers: incoming.headers })
    const body = await buffer(incoming)
    if (incoming.url?.endsWith('/metrics')) metrics.push(readMetrics(body))
    else if (incoming.headers['content-type'] === 'application/json') spans.push(...readJsonSpans(body))
    else spans.push(...readSpans(body))
    bodies.push(body)
    collector.respond(outgoing)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const collector: TestCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    requests,
    bodies,
    respond: respondOk,
    async waitForTrace(traceId, name) {
      const ofTrace = () => spans.filter((span) => span.traceId === traceId)
      await expect
        .poll(() => ofTrace().map((span) => span.name), { timeout: 15_000, interval: 50 })
        .toContain(name)
      return ofTrace()
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return collector
}
