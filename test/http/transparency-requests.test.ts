import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { get, post } from '#test/support/raw-client.ts'
import { expectSameResponse, pollOptions, startComparison } from './compare-core-and-gateway.ts'
import { type CoreRequest, reply, type Script } from './scripted-core.ts'

const comparison = startComparison()

// Headers that every hop sets itself, or that record the client and the hops.
const hopNames =
  /^(?:host|connection|content-length|transfer-encoding|via|x-forwarded-(?:for|proto|host)|x-request-id)$/i

const toPairs = (headers: readonly string[]) =>
  Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at] ?? '', headers[2 * at + 1]] as const)

// No body, a length of 0 and an empty chunked body are equivalent (RFC 9112, section 6.3). The gateway sends a
// Content-Length for a chunked body that it has buffered.
const describeFraming = ({ headers, bytes }: CoreRequest) => {
  if (bytes === 0) return 'no body'
  const given = new Map(toPairs(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const coding = given.get('transfer-encoding')
  return coding === 'chunked' && bytes <= maxBufferedBytes
    ? [undefined, String(bytes)]
    : [coding, given.get('content-length')]
}

const selectComparable = (request: CoreRequest) => {
  const { method, target, headers, bytes, state } = request
  const endToEnd = toPairs(headers).filter(([name]) => !hopNames.test(name))
  const body = { bytes, digest: request.digest(), framing: describeFraming(request) }
  return { method, target, headers: endToEnd, body, state }
}

const respondWhenComplete: Script = (outgoing, incoming) => {
  incoming.on('end', () => reply(200, [], 'ok')(outgoing, incoming))
}

const withMethod = (method: string, message: string) => message.replace(/^[A-Z]+/, method)
const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, at) => at))
const zipped = gzipSync(everyByte).toString('latin1')
const maxBufferedBytes = 1024 * 1024

const inChunks = (target: string, ...pieces: readonly string[]) =>
  withMethod('POST', get(target, 'Transfer-Encoding: chunked')) +
  [...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')

describe('the core receives what the client sent', () => {
  it.each<[name: string, bytes: number, message: (target: string) => string]>([
    [
      'headers in their order, spelling and count',
      0,
      (target) => get(target, 'X-b: 1', 'x-A: 2', 'X-B: \xe9', 'X-C:', 'Accept: a', 'accept: b'),
    ],
    ['separate cookies', 0, (target) => get(target, 'Cookie: a=1', 'Cookie: b=2')],
    ['a query of any kind', 0, (target) => get(`${target}?q=%7a&x=%zz&y=[1]&&?`)],
    ['ranges and conditions', 0, (target) => get(target, 'Range: bytes=0-', 'If-Range: "a"', 'If-Match: *')],
    ['HEAD', 0, (target) => withMethod('HEAD', get(target))],
    ['OPTIONS', 0, (target) => withMethod('OPTIONS', get(target))],
    ['DELETE without a body', 0, (target) => withMethod('DELETE', get(target))],
    ['DELETE with a body', 3, (target) => withMethod('DELETE', post(target, 'abc'))],
    ['a method of another protocol', 0, (target) => withMethod('PROPFIND', get(target))],
    ['a body', 7, (target) => post(target, '{"a":1}', 'Content-Type: application/json')],
    ['a body of length 0', 0, (target) => post(target, '')],
    ['a body of every byte', 256, (target) => post(target, everyByte)],
    ['a compressed body', zipped.length, (target) => post(target, zipped, 'Content-Encoding: gzip')],
    [
      'the largest body that is buffered',
      maxBufferedBytes,
      (target) => post(target, 'x'.repeat(maxBufferedBytes)),
    ],
    [
      'the smallest body that is streamed',
      maxBufferedBytes + 1,
      (target) => post(target, 'x'.repeat(maxBufferedBytes + 1)),
    ],
    [
      'a body of megabytes',
      256 * 12_288,
      (target) => withMethod('PUT', post(target, everyByte.repeat(12_288))),
    ],
    ['a body in chunks', 513, (target) => inChunks(target, everyByte, 'x', everyByte)],
    [
      'a body in chunks that is streamed',
      256 * 12_288,
      (target) => inChunks(target, everyByte.repeat(4096), everyByte.repeat(8192)),
    ],
    ['an empty chunked body', 0, (target) => inChunks(target)],
  ])('%s', async (_, bytes, message) => {
    const target = comparison.core.addScript(respondWhenComplete)
    const sent = message(target)
    await expectSameResponse(comparison, sent, sent.split(' ', 1)[0])
    const received = () => comparison.core.requestsAt(target).map(selectComparable)
    await expect
      .poll(() => received().map(({ state }) => state), pollOptions)
      .toEqual(['completed', 'completed'])
    const [direct, through] = received()
    expect(direct?.body.bytes).toBe(bytes)
    expect(through).toEqual(direct)
  })
})
