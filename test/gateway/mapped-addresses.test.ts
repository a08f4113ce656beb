import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'

// A socket that listens on `::` reports an IPv4 client as `::ffff:a.b.c.d`.
describe('a gateway that listens on ::', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'recording',
    environment: { HOST: '::', TRUSTED_PROXIES: '127.0.0.9', RATE_LIMIT_PUBLIC_READS: '3/600' },
  })
  const port = () => Number(new URL(gateway.url).port)
  const valuesAtCore = (wanted: string) =>
    gateway.core.requests
      .at(-1)
      ?.headers.filter(([name]) => name.toLowerCase() === wanted)
      .map(([, value]) => value)
  const send = (path: string, headers: readonly string[], from: string) =>
    sendRaw(port(), get(path, ...headers), 'GET', from)

  it('reports an IPv4 client to the core by its IPv4 address', async () => {
    expect((await send('/v1/tracks', [], '127.0.0.1')).status).toBe(200)
    expect(valuesAtCore('x-forwarded-for')).toEqual(['127.0.0.1'])
  })

  it('reports a trusted IPv4 proxy by its IPv4 address', async () => {
    const headers = ['X-Forwarded-For: 203.0.113.7', 'Forwarded: for=203.0.113.7']
    expect((await send('/v1/tracks', headers, '127.0.0.9')).status).toBe(200)
    expect(valuesAtCore('x-forwarded-for')).toEqual(['203.0.113.7, 127.0.0.9'])
    expect(valuesAtCore('forwarded')).toEqual(['for=203.0.113.7, for=127.0.0.9'])
  })

  it('counts all spellings of an address as one client', async () => {
    const path = '/v1/public/track-links/unknown'
    const spellings = ['203.0.113.8', '::ffff:203.0.113.8', '::ffff:cb00:7108']
    const statuses: number[] = []
    for (let round = 0; round < 2; round++)
      for (const address of spellings)
        statuses.push((await send(path, [`X-Forwarded-For: ${address}`], '127.0.0.9')).status)
    expect(statuses).toEqual([404, 404, 404, 429, 429, 429])
  })
})
