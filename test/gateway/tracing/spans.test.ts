import { describe, expect, it } from 'vitest'
import { list } from '#contracts/libraries.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { findSpan, namesBelow, startTracedGateway } from './traced-gateway.ts'

const { gateway, collector } = await startTracedGateway({
  core: 'recording',
  handlers: {
    ...handlers,
    'libraries.list': defineRoute(list, () => Promise.reject(new Error('a bug'))),
  },
  environment: {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=a%2Cb',
    OTEL_SERVICE_NAME: 'gateway-of-the-tests',
  },
})

const headersOfCore = () => new Map(gateway.core.requests.at(-1)?.headers)

describe("a request's spans", () => {
  it("continue the client's trace, and are continued by the traceparent sent to the core", async () => {
    const account = await gateway.signUp()
    const client = createTraceparent()
    const sent = { traceparent: client.traceparent, tracestate: ' vendor=1 , other=x y' }
    expect((await account.get('/v1/tracks?secret=query', sent)).status).toBe(200)
    const spans = await collector.waitForTrace(client.traceId, 'GET tracks.list')
    const [server, core] = [findSpan(spans, 'GET tracks.list'), findSpan(spans, 'core')]
    expect(spans).toHaveLength(2)
    expect(server).toMatchObject({
      kind: 'server',
      parentId: client.parentId,
      hasFailed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/tracks',
        'http.response.status_code': 200,
        'crossfade.route': 'tracks.list',
        'crossfade.runtime': 'proxy',
        'crossfade.reason': 'static',
        'crossfade.fallback': false,
      },
      resource: {
        'service.name': 'gateway-of-the-tests',
        'service.version': expect.any(String),
        'deployment.environment.name': 'a,b',
      },
    })
    expect(core).toMatchObject({ kind: 'client', parentId: server.spanId })
    expect(core.attributes).toMatchObject({ 'http.response.status_code': 200 })
    expect(headersOfCore().get('traceparent')).toBe(`00-${client.traceId}-${core.spanId}-01`)
    expect(headersOfCore().get('tracestate')).toBe('vendor=1,other=x y')
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'a b' } })
  })

  it("show a native route's steps and SQL statements, without any values", async () => {
    const account = await gateway.signUp()
    const { traceparent, traceId } = createTraceparent()
    const name = `Secret ${crypto.randomUUID()}`
    const { body } = await account.post('/v1/libraries', { name }, { traceparent })
    const spans = await collector.waitForTrace(traceId, 'POST libraries.create')
    const native = findSpan(spans, 'native')
    expect(native.parentId).toBe(findSpan(spans, 'POST libraries.create').spanId)
    expect(namesBelow(spans, native)).toEqual([
      'authenticate',
      'limit rate',
      'resolve scope',
      'require entitlement',
      'validate',
      'handle',
    ])
    expect(namesBelow(spans, findSpan(spans, 'handle'))).toEqual(['transaction'])
    const statements = namesBelow(spans, findSpan(spans, 'transaction'))
    expect(statements).toContain('insert libraries')
    expect(findSpan(spans, 'insert libraries')).toMatchObject({
      kind: 'client',
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': 'insert',
        'db.collection.name': 'libraries',
        'db.query.text': expect.stringContaining('$1'),
      },
    })
    const text = JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    for (const secret of [name, body.id, account.accountId, account.token, account.email])
      expect(text).not.toContain(secret)
  })

  it('show both sides of a fallback', async () => {
    const account = await gateway.signUp()
    const { traceparent, traceId } = createTraceparent()
    const { headers } = await account.get('/v1/libraries', { traceparent })
    expect(headers.get('x-service-proxy-fallback')).toBe('1')
    const spans = await collector.waitForTrace(traceId, 'GET libraries.list')
    const server = findSpan(spans, 'GET libraries.list')
    expect(namesBelow(spans, server)).toEqual(['native', 'core'])
    expect(findSpan(spans, 'native')).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'bug' } })
    expect(findSpan(spans, 'core').hasFailed).toBe(false)
    expect(server).toMatchObject({
      hasFailed: false,
      attributes: { 'crossfade.fallback': true, 'crossfade.fallback_reason': 'bug' },
    })
    expect(headersOfCore().get('traceparent')).toBe(`00-${traceId}-${findSpan(spans, 'core').spanId}-01`)
    const lines = gateway.log.forRequest(headers.get('x-request-id') ?? '')
    expect(lines.map(({ message, fields }) => [message, fields.traceId])).toEqual([
      ['native route failed', traceId],
      ['request', traceId],
    ])
  })

  it('start a new trace and drop the tracestate if there is no valid traceparent', async () => {
    const account = await gateway.signUp()
    for (const traceparent of [undefined, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'x'.repeat(8000)]) {
      const sent = traceparent === undefined ? {} : { traceparent }
      const { headers } = await account.get('/v1/tracks', { ...sent, tracestate: 'a=1' })
      const [line] = gateway.log.forRequest(headers.get('x-request-id') ?? '')
      const traceId = String(line?.fields.traceId)
      const spans = await collector.waitForTrace(traceId, 'GET tracks.list')
      expect(findSpan(spans, 'GET tracks.list').parentId).toBe('')
      expect(headersOfCore().get('traceparent')).toBe(`00-${traceId}-${findSpan(spans, 'core').spanId}-03`)
      expect(headersOfCore().has('tracestate')).toBe(false)
    }
  })

  it('are recorded even if the client does not sample its own', async () => {
    const account = await gateway.signUp()
    const { traceparent, traceId } = createTraceparent('00')
    await account.get('/v1/tracks', { traceparent })
    await collector.waitForTrace(traceId, 'GET tracks.list')
  })

  it("contain the gateway's error code, and no path", async () => {
    const { traceparent, traceId } = createTraceparent()
    const token = `secret-token-${crypto.randomUUID()}`
    const path = `/v1/public/track-links/${token}?code=secret-code`
    const { status, body } = await gateway.request('GET', path, { headers: { traceparent } })
    const spans = await collector.waitForTrace(traceId, 'GET public.track-links.detail')
    const { hasFailed, attributes } = findSpan(spans, 'GET public.track-links.detail')
    expect({ hasFailed, attributes }).toMatchObject({
      hasFailed: false,
      attributes: {
        'http.route': '/v1/public/track-links/:token',
        'http.response.status_code': status,
        'error.type': body.error,
      },
    })
    const text = JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(text).not.toContain(token)
    expect(text).not.toContain('secret-code')
  })

  it('are not recorded for probes', async () => {
    const { traceparent, traceId } = createTraceparent()
    const later = createTraceparent()
    await gateway.request('GET', '/healthz', { headers: { traceparent } })
    await gateway.request('GET', '/v1/tracks', { headers: { traceparent: later.traceparent } })
    await collector.waitForTrace(later.traceId, 'GET tracks.list')
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([])
  })
})
