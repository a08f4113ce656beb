import { describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'

const gateway = startTestGateway({ control: 'fixed', core: 'recording' })

const headersOfCore = () => new Map(gateway.core.requests.at(-1)?.headers)
const traceIdsOf = async (requestId: string | null) => {
  await expect.poll(() => gateway.log.forRequest(requestId ?? '')).not.toEqual([])
  return gateway.log.forRequest(requestId ?? '').map(({ fields }) => fields.traceId)
}
const forward = async (headers: Record<string, string>) => {
  const response = await gateway.request('GET', '/v1/tracks', { headers })
  expect(response.headers.get('x-service-core-runtime')).toBe('proxy')
  return traceIdsOf(response.headers.get('x-request-id'))
}

describe('a gateway without a collector', () => {
  it("lets the core continue the client's trace", async () => {
    const { traceparent, traceId } = createTraceparent()
    expect(await forward({ traceparent, tracestate: 'a=1,b=2' })).toEqual([traceId])
    expect(headersOfCore().get('traceparent')).toBe(traceparent)
    expect(headersOfCore().get('tracestate')).toBe('a=1,b=2')
  })

  it('sends a traceparent of an unknown version as version 00', async () => {
    const { traceparent } = createTraceparent()
    await forward({ traceparent: `42${traceparent.slice(2)}-${'future'.repeat(500)}` })
    expect(headersOfCore().get('traceparent')).toBe(traceparent)
  })

  it.each([
    ['version ff', `ff${createTraceparent().traceparent.slice(2)}`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['two values', `${createTraceparent().traceparent}, ${createTraceparent().traceparent}`],
    ['a length of 12 KiB', 'f'.repeat(12_288)],
  ])('drops a traceparent with %s, and the tracestate with it', async (_, traceparent) => {
    const [traceId] = await forward({ traceparent, tracestate: 'a=1' })
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(headersOfCore().has('traceparent')).toBe(false)
    expect(headersOfCore().has('tracestate')).toBe(false)
  })

  it('limits the length of the tracestate that it sends', async () => {
    const { traceparent } = createTraceparent()
    const tracestate = Array.from({ length: 30 }, (_, index) => `k${index}=${'v'.repeat(90)}`).join()
    await forward({ traceparent, tracestate })
    expect(headersOfCore().get('traceparent')).toBe(traceparent)
    expect(headersOfCore().get('tracestate')?.length).toBeLessThanOrEqual(512)
    await forward({ traceparent, tracestate: `a=1${' '.repeat(8000)}=` })
    expect(headersOfCore().has('tracestate')).toBe(false)
  })

  it('logs the trace ID with every line, for every route', async () => {
    const account = await gateway.signUp()
    for (const label of labels) {
      const { method } = rowOf(label)
      const { traceparent, traceId } = createTraceparent()
      const path = fillPathWith(label, () => 'none')
      const { headers } = await gateway.request(method, path, {
        token: account.token,
        headers: { traceparent },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
      })
      const logged = await traceIdsOf(headers.get('x-request-id'))
      expect({ label, logged: [...new Set(logged)] }).toEqual({ label, logged: [traceId] })
    }
  })

  it('logs a new trace ID for each request without a traceparent', async () => {
    const [[first], [second]] = [await forward({}), await forward({})]
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    expect(headersOfCore().has('traceparent')).toBe(false)
  })

  it('logs the trace ID of a request that it rejects', async () => {
    const { traceparent, traceId } = createTraceparent()
    const { status, headers } = await gateway.request('GET', '/v1//tracks', { headers: { traceparent } })
    expect(status).toBe(400)
    expect(await traceIdsOf(headers.get('x-request-id'))).toEqual([traceId])
  })
})
