import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { get, post } from '#test/support/raw-client.ts'
import { type CoreRequest, reply, type Script } from './transparency-core.ts'
import { expectSameResponse, soon, startBothWays } from './transparency-ways.ts'

const ways = startBothWays()

// Made anew for each hop, or said of who asked and by which way.
const ofTheHop =
  /^(?:host|connection|content-length|transfer-encoding|via|x-forwarded-(?:for|proto|host)|x-request-id)$/i

const pairsOf = (headers: readonly string[]) =>
  Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at] ?? '', headers[2 * at + 1]] as const)

// No body, a length of 0 and no chunks all say the same (RFC 9112, section 6.3).
const framingOf = ({ headers, bytes }: CoreRequest) => {
  if (bytes === 0) return 'no body'
  const given = new Map(pairsOf(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return [given.get('transfer-encoding'), given.get('content-length')]
}

const comparable = (exchange: CoreRequest) => {
  const { method, target, headers, bytes, fate } = exchange
  const kept = pairsOf(headers).filter(([name]) => !ofTheHop.test(name))
  const body = { bytes, digest: exchange.digest(), framing: framingOf(exchange) }
  return { method, target, headers: kept, body, fate }
}

const answerWhole: Script = (outgoing, incoming) => {
  incoming.on('end', () => reply(200, [], 'ok')(outgoing, incoming))
}

const by = (method: string, message: string) => message.replace(/^[A-Z]+/, method)
const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, at) => at))
const zipped = gzipSync(everyByte).toString('latin1')
const bufferedAtMost = 1024 * 1024

const inChunks = (target: string, ...pieces: readonly string[]) =>
  by('POST', get(target, 'Transfer-Encoding: chunked')) +
  [...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')

describe('the core gets what the client of the gateway sent', () => {
  it.each<[name: string, bytes: number, message: (target: string) => string]>([
    [
      'headers in their order, spelling and number',
      0,
      (target) => get(target, 'X-b: 1', 'x-A: 2', 'X-B: \xe9', 'X-C:', 'Accept: a', 'accept: b'),
    ],
    ['cookies apart', 0, (target) => get(target, 'Cookie: a=1', 'Cookie: b=2')],
    ['a query of any kind', 0, (target) => get(`${target}?q=%7a&x=%zz&y=[1]&&?`)],
    ['ranges and conditions', 0, (target) => get(target, 'Range: bytes=0-', 'If-Range: "a"', 'If-Match: *')],
    ['HEAD', 0, (target) => by('HEAD', get(target))],
    ['OPTIONS', 0, (target) => by('OPTIONS', get(target))],
    ['DELETE without a body', 0, (target) => by('DELETE', get(target))],
    ['DELETE with a body', 3, (target) => by('DELETE', post(target, 'abc'))],
    ['a method of others', 0, (target) => by('PROPFIND', get(target))],
    ['a body', 7, (target) => post(target, '{"a":1}', 'Content-Type: application/json')],
    ['a body of length 0', 0, (target) => post(target, '')],
    ['a body of every byte', 256, (target) => post(target, everyByte)],
    ['a compressed body', zipped.length, (target) => post(target, zipped, 'Content-Encoding: gzip')],
    ['the largest body that is held', bufferedAtMost, (target) => post(target, 'x'.repeat(bufferedAtMost))],
    [
      'the smallest body that is not',
      bufferedAtMost + 1,
      (target) => post(target, 'x'.repeat(bufferedAtMost + 1)),
    ],
    ['a body of megabytes', 256 * 12_288, (target) => by('PUT', post(target, everyByte.repeat(12_288)))],
    ['a body in chunks', 513, (target) => inChunks(target, everyByte, 'x', everyByte)],
    ['a body in no chunks', 0, (target) => inChunks(target)],
  ])('%s', async (_, bytes, message) => {
    const target = ways.core.play(answerWhole)
    const sent = message(target)
    await expectSameResponse(ways, sent, sent.split(' ', 1)[0])
    const seen = () => ways.core.requestsAt(target).map(comparable)
    await expect.poll(() => seen().map(({ fate }) => fate), soon).toEqual(['answered', 'answered'])
    const [direct, through] = seen()
    expect(direct?.body.bytes).toBe(bytes)
    expect(through).toEqual(direct)
  })
})
