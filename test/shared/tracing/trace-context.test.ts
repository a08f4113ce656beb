import { describe, expect, it } from 'vitest'
import {
  createSpanId,
  createTraceId,
  formatTraceparent,
  parseTraceContext,
} from '#shared/tracing/trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const parse = (traceparent: string) => parseTraceContext(traceparent, undefined)

describe('parseTraceContext', () => {
  it('reads a valid traceparent', () => {
    expect(parse(`00-${traceId}-${parentId}-01`)).toEqual({ traceId, parentId, flags: 1, state: null })
  })

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
    ['has a later version without a hyphen before more', `01-${traceId}-${parentId}-01what`],
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
    ['as long as that of version 00', ''],
    ['with more fields', '-what-the-future-will-be-like'],
    ['with 16 KiB of more fields', `-${'x'.repeat(16_384)}`],
  ])('reads the first four fields of an unknown version %s', (_, more) => {
    const context = parse(`cc-${traceId}-${parentId}-01${more}`)
    expect(context).toEqual({ traceId, parentId, flags: 1, state: null })
    expect(context && formatTraceparent(context)).toBe(`00-${traceId}-${parentId}-01`)
  })

  it('drops flags that it does not know', () => {
    const context = parse(`00-${traceId}-${parentId}-ff`)
    expect(context && formatTraceparent(context)).toBe(`00-${traceId}-${parentId}-03`)
  })

  it('keeps a trace without a state whose tracestate is invalid', () => {
    expect(parseTraceContext(`00-${traceId}-${parentId}-00`, 'A=1')).toEqual({
      traceId,
      parentId,
      flags: 0,
      state: null,
    })
  })
})

it('new ids are valid and differ', () => {
  const contexts = Array.from({ length: 1000 }, () => ({
    traceId: createTraceId(),
    parentId: createSpanId(),
    flags: 0,
    state: null,
  }))
  for (const context of contexts) expect(parse(formatTraceparent(context))).toEqual(context)
  expect(new Set(contexts.map((context) => context.traceId)).size).toBe(1000)
  expect(new Set(contexts.map((context) => context.parentId)).size).toBe(1000)
})
