import { describe, expect, it } from 'vitest'
import { skipInterimHeads } from '#proxy/node-streams/core-connection.ts'

const final = 'HTTP/1.1 200 OK\r\n\r\n'
const interim = 'HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n'

const skip = (text: string) => {
  const { final, undecided, isValid } = skipInterimHeads(Buffer.from(text, 'latin1'))
  return [final?.toString('latin1') ?? null, undecided?.toString('latin1') ?? null, isValid]
}

// core-connection.test.ts tests that undici does not accept interim heads.
describe('interim heads', () => {
  it.each([
    ['no interim head', final, final],
    ['one', interim + final, final],
    ['several', `HTTP/1.1 100 Continue\r\n\r\n${interim}${final}`, final],
    [
      '101, which is final',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    ],
    [
      'a status of four digits, which the parser rejects',
      `HTTP/1.1 1000 Odd\r\n\r\n${final}`,
      `HTTP/1.1 1000 Odd\r\n\r\n${final}`,
    ],
  ])('are skipped: %s', (_, text, rest) => {
    expect(skip(text)).toEqual([rest, null, true])
  })

  it.each(['H', 'HTTP/1.1 1', interim.slice(0, -1)])(
    'are undecided while they are incomplete: %j',
    (text) => {
      expect(skip(interim + text)).toEqual([null, text, true])
    },
  )

  it('leave nothing if nothing follows them', () => {
    expect(skip(interim)).toEqual([null, null, true])
  })

  it.each([
    ['bytes that are not HTTP/1', 'SSH-2.0', 'SSH-2.0', null],
    [
      'an interim head of 16 KiB without an end',
      `HTTP/1.1 100 ${'a'.repeat(16_384)}`,
      null,
      `HTTP/1.1 100 ${'a'.repeat(16_384)}`,
    ],
  ])('are reported as invalid: %s', (_, text, rest, undecided) => {
    expect(skip(text)).toEqual([rest, undecided, false])
  })
})
