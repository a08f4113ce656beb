import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compareValues } from '#migration/diff/compare-values.ts'
import { toDiffSchema } from '#migration/diff/diff-schema.ts'
import { body, createCollector } from '#migration/diff/difference-collector.ts'
import { readBody } from '#migration/diff/recorded-response.ts'
import { urlPatternOf } from '#migration/diff/url-pattern.ts'

const listKinds = (schema: z.ZodType, native: unknown, core: unknown) => {
  const found = createCollector()
  compareValues(found, toDiffSchema(schema), native, core, body)
  return found.list().map(({ kind, location }) => `${kind} ${location.path}`)
}

describe('compareValues with nested arrays', () => {
  const Rows = z.array(z.array(z.number()))

  it.each([
    [
      'a reordering',
      [
        [3, 4],
        [1, 2],
      ],
      ['order body'],
    ],
    [
      'a reordering within an element',
      [
        [2, 1],
        [3, 4],
      ],
      ['order body.*'],
    ],
    [
      'an additional value in an element',
      [
        [1, 2, 3],
        [3, 4],
      ],
      ['length body.*'],
    ],
    [
      'a different value',
      [
        [1, 5],
        [3, 4],
      ],
      ['value body.*.*'],
    ],
  ])('reports %s', (_, native, expected) => {
    expect(
      listKinds(Rows, native, [
        [1, 2],
        [3, 4],
      ]),
    ).toEqual(expected)
  })
})

describe('urlPatternOf', () => {
  it.each([
    ['https://a.example.com/bucket/3f2a/mix.wav?sig=1&exp=2', 'https://name/bucket/*/*.wav?exp&sig'],
    ['https://other.test/bucket/77/master.WAV?exp=9&sig=8', 'https://name/bucket/*/*.wav?exp&sig'],
    ['http://127.0.0.1:9000/b', 'http://loopback/b'],
    ['http://[::1]/b', 'http://loopback/b'],
    ['http://10.0.0.1/b', 'http://number/b'],
    // A path segment that contains a digit counts as a value.
    ['/v1/libraries/0198c1f0?x', '/*/libraries/*?x'],
    ['http://[', null],
  ])('reduces %s to %s', (url, pattern) => {
    expect(urlPatternOf(url)).toBe(pattern)
  })
})

describe('readBody', () => {
  it.each([
    ['', { kind: 'empty' }],
    ['{"a":1}', { kind: 'json', value: { a: 1 } }],
    ['null', { kind: 'json', value: null }],
    ['{"a":', { kind: 'text', text: '{"a":' }],
  ])('parses %j', (text, expected) => {
    expect(readBody(text)).toEqual(expected)
  })
})
