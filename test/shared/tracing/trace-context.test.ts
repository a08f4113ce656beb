import { describe, expect, it } from 'vitest'
import {
  createTraceContext,
  createUnsampledContext,
  flagsIn,
  parentIdIn,
  parseTraceContext,
  traceIdIn,
} from '#shared/tracing/trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const parse = (traceparent: string) => parseTraceContext(traceparent, undefined)

describe('parseTraceContext', () => {
  it('reads a valid traceparent', () => {
    const context = parse(`00-${traceId}-${parentId}-01`)
    expect(context).toEqual(createTraceContext(traceId, parentId, 1, null))
    expect(context && [traceIdIn(context), parentIdIn(context), flagsIn(context)]).toEqual([
      traceId,
      parentId,
      1,
    ])
  })

  it.each(['00', '01', '02', '03'])('passes on the flags %s', (flags) => {
    const traceparent = `00-${traceId}-${parentId}-${flags}`
    expect(parse(traceparent)).toEqual({ traceparent, state: null })
  })

  // Characters that a lax parser could accept: next to the lowercase hex digits in ASCII, uppercase, or not ASCII.
  it.each(['/', ':', '`', 'g', 'A', '\u00ff', '\u0130', '\uff10'])(
    'rejects %j in place of any digit',
    (other) => {
      const valid = `00-${traceId}-${parentId}-01`
      const read = [...valid].filter((_, index) =>
        parse(valid.slice(0, index) + other + valid.slice(index + 1)),
      )
      expect(read).toEqual([])
    },
  )

  it.each([
    ['is empty', ''],
    ['has version ff', `ff-${traceId}-${parentId}-01`],
    ['has version ff and more fields', `ff-${traceId}-${parentId}-01-what`],
    ['has an unreadable version', `0x-${traceId}-${parentId}-01`],
    ['has a short version', `0-${traceId}-${parentId}-01`],
    ['has a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['has a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['has upper-case digits', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['has a short trace id', `00-${traceId.slice(1)}-${parentId}-01`],
    ['has a long parent id', `00-${traceId}-${parentId}0-01`],
    ['has one digit of flags', `00-${traceId}-${parentId}-1`],
    ['has unreadable flags', `00-${traceId}-${parentId}-0g`],
    ['has more fields than version 00', `00-${traceId}-${parentId}-01-what`],
    ['ends with a hyphen', `00-${traceId}-${parentId}-01-`],
    ['has a later version and no hyphen before the next field', `01-${traceId}-${parentId}-01what`],
    ['begins with a blank', ` 00-${traceId}-${parentId}-01`],
    ['ends with a line break', `00-${traceId}-${parentId}-01\n`],
    ['was sent twice', `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`],
    [
      'was sent twice in an unknown version',
      `cc-${traceId}-${parentId}-01-x, cc-${traceId}-${parentId}-01-x`,
    ],
  ])('rejects a traceparent that %s', (_, traceparent) => {
    expect(parse(traceparent)).toBeNull()
    expect(parseTraceContext(traceparent, 'a=1')).toBeNull()
  })

  it.each([
    ['and no more fields', ''],
    ['and more fields', '-what-the-future-will-be-like'],
    ['and 16 KiB of more fields', `-${'x'.repeat(16_384)}`],
  ])('reads the first four fields of a traceparent with an unknown version %s', (_, more) => {
    expect(parse(`cc-${traceId}-${parentId}-01${more}`)?.traceparent).toBe(`00-${traceId}-${parentId}-01`)
  })

  it.each([
    ['ff', '03'],
    ['11', '01'],
    ['10', '00'],
    ['04', '00'],
    ['0a', '02'],
  ])('drops the unknown flags in %s, which leaves %s', (flags, sent) => {
    expect(parse(`00-${traceId}-${parentId}-${flags}`)?.traceparent).toBe(`00-${traceId}-${parentId}-${sent}`)
  })

  it('keeps a trace whose tracestate is invalid, but drops the tracestate', () => {
    const traceparent = `00-${traceId}-${parentId}-00`
    expect(parseTraceContext(traceparent, 'A=1')).toEqual({ traceparent, state: null })
  })
})

describe('createUnsampledContext', () => {
  it('begins traces with valid, distinct ids', () => {
    // More ids than are created from one batch of random bytes.
    const count = 10_000
    const contexts = Array.from({ length: count }, () => createUnsampledContext(null))
    for (const context of contexts) expect(parse(context.traceparent)).toEqual(context)
    expect(new Set(contexts.map(traceIdIn)).size).toBe(count)
    expect(new Set(contexts.map(parentIdIn)).size).toBe(count)
  })

  it('continues a trace with its tracestate, but without the sampled flag', () => {
    const context = createUnsampledContext(createTraceContext(traceId, parentId, 3, 'a=1'))
    expect(context.state).toBe('a=1')
    expect([traceIdIn(context), flagsIn(context)]).toEqual([traceId, 2])
    expect(parentIdIn(context)).not.toBe(parentId)
  })
})
