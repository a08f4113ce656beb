import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { expectSame, expectSameResponse, startComparison } from './compare-core-and-gateway.ts'
import { reply, type Script } from './scripted-core.ts'

const comparison = startComparison()

const head = (...request: Parameters<typeof get>) => get(...request).replace('GET', 'HEAD')
const lengthOf = (body: string | Buffer) => ['Content-Length', String(body.length)]
const text = Buffer.from('a text that repeats itself. '.repeat(4000))
const file = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256))

describe('a core response', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
  ])('is forwarded compressed with %s, byte for byte', async (coding, zipped) => {
    const headers = ['Content-Type', 'text/plain', 'Content-Encoding', coding, 'Vary', 'Accept-Encoding']
    const target = comparison.core.addScript(reply(200, [...headers, ...lengthOf(zipped)], zipped))
    const response = await expectSameResponse(comparison, get(target, `Accept-Encoding: ${coding}`))
    expect(Buffer.from(response.body, 'latin1')).toEqual(zipped)
  })

  it('is forwarded compressed and in chunks, even if the client did not ask for compression', async () => {
    const zipped = gzipSync(file)
    const pieces = [zipped.subarray(0, 1), zipped.subarray(1, 9), zipped.subarray(9)]
    const target = comparison.core.addScript(reply(200, ['Content-Encoding', 'gzip'], ...pieces))
    const response = await expectSameResponse(comparison, get(target))
    expect(Buffer.from(response.body, 'latin1')).toEqual(zipped)
  })

  it('is forwarded in chunks, large and small', async () => {
    const target = comparison.core.addScript(reply(200, [], 'a', text, '\0', text, file, 'z'))
    const response = await expectSameResponse(comparison, get(target))
    expect(response.header('transfer-encoding')).toBe('chunked')
    expect(response.body.length).toBe(2 * text.length + file.length + 3)
  })

  it('is forwarded in full to an HTTP/1.0 client', async () => {
    const target = comparison.core.addScript(reply(200, ['Content-Length', '1000'], file))
    const response = await expectSameResponse(comparison, get(target).replace('HTTP/1.1', 'HTTP/1.0'))
    expect(Buffer.from(response.body, 'latin1')).toEqual(file)
  })

  it.each<[name: string, script: Script, status: number]>([
    ['with a length of 0', reply(200, ['Content-Length', '0']), 200],
    ['in an empty chunked body', reply(200, ['Content-Type', 'text/plain']), 200],
    ['with 204', reply(204, ['ETag', '"empty"']), 204],
    ['with 205', reply(205, ['Content-Length', '0']), 205],
    ['with an error', reply(500, ['Content-Length', '0']), 500],
  ])('is forwarded without a body %s', async (_, script, status) => {
    const response = await expectSameResponse(comparison, get(comparison.core.addScript(script)))
    expect(response).toMatchObject({ status, body: '', complete: true })
  })

  it('is forwarded even if it is an error that the contract does not define', async () => {
    const target = comparison.core.addScript(reply(422, ['Content-Type', 'text/html'], '<h1>No</h1>'))
    expect(await expectSameResponse(comparison, get(target))).toMatchObject({
      status: 422,
      body: '<h1>No</h1>',
    })
  })

  const inRanges: Script = (outgoing, incoming) => {
    const { range = '', 'if-range': ifRange = '"file"' } = incoming.headers
    const [, from = '', to = '999'] = /^bytes=(\d+)-(\d+)?$/.exec(range) ?? []
    const part = file.subarray(Number(from), Number(to) + 1)
    const headers = ['Accept-Ranges', 'bytes', 'ETag', '"file"']
    const contentRange = (span: string) => ['Content-Range', `bytes ${span}/1000`]
    const script =
      from === '' || ifRange !== '"file"'
        ? reply(200, [...headers, ...lengthOf(file)], file)
        : part.length === 0
          ? reply(416, [...headers, ...contentRange('*'), ...lengthOf('')])
          : reply(206, [...headers, ...contentRange(`${from}-${to}`), ...lengthOf(part)], part)
    script(outgoing, incoming)
  }

  it.each<[name: string, headers: readonly string[], status: number, range: string | undefined]>([
    ['the first byte', ['Range: bytes=0-0'], 206, 'bytes 0-0/1000'],
    ['the last ten', ['Range: bytes=990-'], 206, 'bytes 990-999/1000'],
    ['of the same version', ['Range: bytes=5-9', 'If-Range: "file"'], 206, 'bytes 5-9/1000'],
    ['of an outdated version', ['Range: bytes=5-9', 'If-Range: "old"'], 200, undefined],
    ['after the end, which is rejected', ['Range: bytes=1000-'], 416, 'bytes */1000'],
  ])('is forwarded for a range: %s', async (_, headers, status, range) => {
    const response = await expectSameResponse(
      comparison,
      get(comparison.core.addScript(inRanges), ...headers),
    )
    expect([response.status, response.header('content-range')]).toEqual([status, range])
    expect(response.body.length).toBe(Number(response.header('content-length')))
  })

  it('is forwarded with several ranges in its body', async () => {
    const part = (range: string, body: string) =>
      `--cut\r\nContent-Range: bytes ${range}/1000\r\n\r\n${body}\r\n`
    const body = `${part('0-1', 'ab')}${part('4-5', 'ef')}--cut--\r\n`
    const headers = ['Content-Type', 'multipart/byteranges; boundary=cut', ...lengthOf(body)]
    const target = comparison.core.addScript(reply(206, headers, body))
    expect((await expectSameResponse(comparison, get(target, 'Range: bytes=0-1,4-5'))).body).toBe(body)
  })

  const versioned: Script = (outgoing, incoming) => {
    const headers = ['ETag', 'W/"7"', 'Cache-Control', 'private, max-age=60', 'Vary', 'Accept']
    const isKnown = incoming.headers['if-none-match'] === 'W/"7"'
    const script = isKnown ? reply(304, headers) : reply(200, [...headers, ...lengthOf('new')], 'new')
    script(outgoing, incoming)
  }

  it("is forwarded as a 304 with the core's ETag and Cache-Control if the client's version is current", async () => {
    const response = await expectSameResponse(
      comparison,
      get(comparison.core.addScript(versioned), 'If-None-Match: W/"7"'),
    )
    expect(response).toMatchObject({ status: 304, body: '' })
    expect([response.header('etag'), response.header('cache-control')]).toEqual([
      'W/"7"',
      'private, max-age=60',
    ])
  })

  it("is forwarded in full if the client's version is outdated", async () => {
    const response = await expectSameResponse(
      comparison,
      get(comparison.core.addScript(versioned), 'If-None-Match: "6"'),
    )
    expect(response).toMatchObject({ status: 200, body: 'new' })
  })

  it.each<[name: string, script: Script, length: string | undefined]>([
    ['with its length', reply(200, ['ETag', '"a"', 'Content-Length', '1073741824']), '1073741824'],
    ['of unknown length', reply(200, ['ETag', '"a"']), undefined],
    ['of an error', reply(404, ['Content-Type', 'application/json', 'Content-Length', '21']), '21'],
    ['with status 204', reply(204, []), undefined],
  ])('is forwarded without a body for HEAD %s', async (_, script, length) => {
    const response = await expectSameResponse(comparison, head(comparison.core.addScript(script)), 'HEAD')
    expect([response.header('content-length'), response.body]).toEqual([length, ''])
  })

  // biome-ignore format: alternating names and values
  const manyHeaders = ['x-B', '2', 'X-a', '1', 'Link', '</a>; rel=next', 'X-b', '3', 'link', '</b>; rel=prev', 'X-Empty', '', 'X-Bytes', '\xe9\xff', 'WWW-Authenticate', 'Basic', 'WWW-Authenticate', 'Bearer', 'Vary', '*']

  it.each<[name: string, script: Script]>([
    ['at once with the body', reply(200, [...manyHeaders, 'Content-Length', '2'], 'ok')],
    ['in chunks', reply(200, manyHeaders, 'ok')],
    ['without a body', reply(204, manyHeaders)],
    ['before the body', (outgoing, incoming) => setTimeout(reply(200, manyHeaders), 30, outgoing, incoming)],
  ])("is forwarded with the core's header order, spelling and count: %s", async (_, script) => {
    const response = await expectSameResponse(comparison, get(comparison.core.addScript(script)))
    expect(response.headers.slice(1, 11).flat()).toEqual(manyHeaders)
  })

  it('is forwarded with its Set-Cookie headers kept separate', async () => {
    // biome-ignore format: alternating names and values
    const cookies = ['Set-Cookie', 'a=1; Path=/; HttpOnly', 'set-cookie', 'b=2; Expires=Thu, 01 Jan 2026 00:00:00 GMT', 'Set-Cookie', 'a=3']
    const response = await expectSameResponse(
      comparison,
      get(comparison.core.addScript(reply(200, cookies, 'ok'))),
    )
    expect(response.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').flat()).toEqual(cookies)
  })

  it('is forwarded with a single request id, even if the core also sends one', async () => {
    const repeat: Script = (outgoing, incoming) => {
      reply(200, ['X-Request-Id', `${incoming.headers['x-request-id']}`], 'ok')(outgoing, incoming)
    }
    const { headers } = await sendRaw(
      comparison.gatewayPort,
      get(comparison.core.addScript(repeat), 'X-Request-Id: mine'),
    )
    const ids = headers.filter(([name]) => name.toLowerCase() === 'x-request-id')
    expect(ids).toEqual([['x-request-id', 'mine']])
  })

  it.each([
    'https://elsewhere.example/v1/a?b#c',
    '/v1/a',
    'a?b',
    '//elsewhere.example/a',
    'mailto:a@b.example',
    'http://127.0.0.1.elsewhere.example/',
    'http://127.0.0.1:1/',
  ])('is forwarded with its Location unchanged if that does not point to the core: %s', async (location) => {
    const target = comparison.core.addScript(reply(302, ['Location', location, 'Content-Length', '0']))
    const response = await expectSameResponse(comparison, get(target))
    expect([response.status, response.header('location')]).toEqual([302, location])
  })

  it('is forwarded unchanged, except that a Location pointing at the core is rewritten to PUBLIC_BASE_URL', async () => {
    const { core, corePort, gatewayPort } = comparison
    const atCore = `${core.url}/v1/a?b#c`
    const target = core.addScript(reply(201, ['ETag', '"new"', 'Location', atCore, 'X-a', 'b'], 'made'))
    const direct = await sendRaw(corePort, get(target))
    const { headers, ...forwarded } = await sendRaw(gatewayPort, get(target))
    const rewritten = ['Location', 'https://api.example/v1/a?b#c']
    expect(direct.headers).toContainEqual(['Location', atCore])
    expect(headers).toContainEqual(rewritten)
    const original = headers.map((header) =>
      `${header}` === `${rewritten}` ? (['Location', atCore] as const) : header,
    )
    expectSame(direct, { ...forwarded, headers: original })
  })
})
