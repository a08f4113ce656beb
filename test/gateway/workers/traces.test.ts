import { afterAll, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import type { ExportedSpan } from '#test/support/otlp/read-spans.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { startTestWorker } from '#test/support/worker.ts'

const collector = await startTestCollector()
afterAll(() => collector.close())

const find = (spans: readonly ExportedSpan[], name: string) => {
  const found = spans.find((span) => span.name === name)
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`)
  return found
}

describe('traces on Workers', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'recording' })
  const worker = startTestWorker(gateway, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })

  it("contain the steps of a native request, and continue the client's trace", async () => {
    const { accountId } = await gateway.signUp()
    const { traceId, parentId, traceparent } = createTraceparent('00')
    const token = await gateway.issuer.mintToken(accountId)
    const { status } = await worker.request('GET', '/v1/libraries', { headers: { traceparent }, token })
    expect(status).toBe(200)
    const spans = await collector.waitForTrace(traceId, 'GET libraries.list')
    const server = find(spans, 'GET libraries.list')
    expect(server).toMatchObject({
      parentId,
      kind: 'server',
      hasFailed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/libraries',
        'http.response.status_code': 200,
        'crossfade.runtime': 'native',
        'crossfade.fallback': false,
      },
      resource: {
        'service.name': 'crossfade-gateway',
        'deployment.environment.name': 'test',
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    })
    const native = find(spans, 'native')
    expect(native.parentId).toBe(server.spanId)
    expect(find(spans, 'handle').parentId).toBe(native.spanId)
    expect(find(spans, 'select library_tracks')).toMatchObject({
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql' },
    })
    for (const { startNs, endNs } of spans) expect(endNs).toBeGreaterThanOrEqual(startNs)
    expect(collector.requests.at(-1)).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-key': 'a b', 'content-type': 'application/json' },
    })
  })

  it('contain a span for the core request, which the core continues', async () => {
    const { accountId } = await gateway.signUp()
    const { traceId, traceparent } = createTraceparent()
    const token = await gateway.issuer.mintToken(accountId)
    await worker.request('GET', '/v1/tracks', { headers: { traceparent }, token })
    const spans = await collector.waitForTrace(traceId, 'GET tracks.list')
    const core = find(spans, 'core')
    expect(core).toMatchObject({ kind: 'client', parentId: find(spans, 'GET tracks.list').spanId })
    expect(new Map(gateway.core.requests.at(-1)?.headers).get('traceparent')).toBe(
      `00-${traceId}-${core.spanId}-01`,
    )
  })

  it('contain no slug, access code, token or query', async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId } = await insertPackOf(sql, owner.accountId)
    const { slug } = await insertPackLink(sql, packId, { accessCode: 'sesame-open' })
    const { traceId, traceparent } = createTraceparent()
    const path = `/v1/pack-links/${slug}?accessCode=sesame-open&sessionId=secret-session`
    const { status } = await worker.request('GET', path, { headers: { traceparent } })
    expect(status).toBe(200)
    const unmatched = createTraceparent()
    await worker.request('GET', `/v1/unknown/${slug}`, { headers: { traceparent: unmatched.traceparent } })
    const spans = await collector.waitForTrace(traceId, 'GET pack-links.detail')
    expect(find(spans, 'GET pack-links.detail').attributes['http.route']).toBe('/v1/pack-links/:slug')
    await collector.waitForTrace(unmatched.traceId, 'GET unmatched')
    const sent = Buffer.concat(collector.bodies).toString()
    for (const secret of [slug, 'sesame-open', 'secret-session', 'accessCode'])
      expect(sent).not.toContain(secret)
  })

  it('do not delay requests while the collector hangs, and are logged if it rejects them', async () => {
    const { accountId } = await gateway.signUp()
    const token = await gateway.issuer.mintToken(accountId)
    collector.respond = () => undefined
    const startedAt = performance.now()
    expect((await worker.request('GET', '/v1/libraries', { token })).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(3000)
    collector.respond = (response) => void response.writeHead(401).end('the key a b is wrong')
    await worker.request('GET', '/v1/libraries', { token })
    const listFailures = () => worker.logLines().filter((line) => line.includes('failed to export spans'))
    await expect.poll(() => listFailures().join(), { timeout: 10_000 }).toContain('"code":"401"')
    expect(worker.logLines().join()).not.toContain('a b is wrong')
    collector.respond = (response) => void response.writeHead(200).end()
  })
})

describe('a Worker without a collector', () => {
  const gateway = startTestGateway({ control: 'fixed' })
  const worker = startTestWorker(gateway)

  it('sends no spans', async () => {
    const { length } = collector.requests
    const { accountId } = await gateway.signUp()
    const token = await gateway.issuer.mintToken(accountId)
    expect((await worker.request('GET', '/v1/libraries', { token })).status).toBe(200)
    expect(collector.requests).toHaveLength(length)
  })
})
