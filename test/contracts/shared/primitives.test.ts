import { describe, expect, it } from 'vitest'
import {
  Cursor,
  DateOnly,
  Id,
  Line,
  LongText,
  Percent,
  partialUpdate,
  Str,
  Timestamp,
  TimestampInput,
  Token,
  TrimmedLongText,
  TruncatedText,
} from '#contracts/shared/primitives.ts'
import { issuePaths } from '../inputs.ts'

const clef = '\u{1d11e}'

describe('TimestampInput and Timestamp', () => {
  it.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00.1234567Z', '2026-03-01T12:00:00.123Z'],
    ['2026-03-01t12:00:00z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['2026-03-01T12:00:00-00:00', '2026-03-01T12:00:00.000Z'],
    ['2024-02-29T23:59:59.999-23:59', '2024-03-01T23:58:59.999Z'],
  ])('parse %s as %s', (sent, parsed) => {
    expect(TimestampInput.parse(sent)).toBe(parsed)
    expect(Timestamp.parse(parsed)).toBe(parsed)
  })

  it.each([
    '2026-03-01T12:00:00',
    '2026-03-01 12:00:00Z',
    '2026-03-01T12:00Z',
    '2026-03-01',
    '2026-02-29T12:00:00Z',
    '2026-02-31T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:00+24:00',
    '2026-03-01T12:00:00+0200',
    '2026-03-01T12:00:00,5Z',
    '0000-03-01T12:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+002026-03-01T12:00:00Z',
    ' 2026-03-01T12:00:00Z',
    '1772366400',
    '',
    1772366400000,
    null,
  ])('reject %j as input, with one issue', (sent) => {
    expect(issuePaths(TimestampInput, sent)).toEqual([''])
  })

  it.each(['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000+00:00'])(
    'reject %s as a response timestamp',
    (other) => {
      expect(Timestamp.safeParse(other).success).toBe(false)
    },
  )
})

describe('DateOnly', () => {
  it.each(['2026-03-01', '2024-02-29', '0001-01-01', '9999-12-31'])('accepts %s', (day) => {
    expect(DateOnly.parse(day)).toBe(day)
  })

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-1-1',
    '0000-01-01',
    '2026-03-01T00:00:00Z',
    '',
    20260301,
  ])('rejects %j with one issue', (day) => {
    expect(issuePaths(DateOnly, day)).toEqual([''])
  })
})

describe('Id', () => {
  it.each(['a', '0198c1f0-7c1a-7000-8000-000000000000', 'A_z-9', 'x'.repeat(128)])('accepts %s', (id) => {
    expect(Id.parse(id)).toBe(id)
  })

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', 'a.b', 'ä', 'a\n', 7])('rejects %j', (id) => {
    expect(Id.safeParse(id).success).toBe(false)
  })
})

describe('Str', () => {
  it('trims the text and counts code points', () => {
    expect(Str(5).parse('  Solo \t')).toBe('Solo')
    expect(Str(2).parse(clef + clef)).toBe(clef + clef)
    expect(issuePaths(Str(2), clef.repeat(3))).toEqual([''])
  })

  it.each(['', '   ', '\n', 'a\nb', 'a\u0000b', 'a\u001fb', '\ud800', null, 7])('rejects %j', (text) => {
    expect(Str(10).safeParse(text).success).toBe(false)
  })
})

it.each([[[]], [{ length: 0 }], [7], [null]])('%j as a text is one issue', (value) => {
  for (const schema of [Str(10), TrimmedLongText(10), Line(1, 10), LongText(10)])
    expect(issuePaths(schema, value)).toEqual([''])
})

describe('LongText', () => {
  it('preserves line feeds, tabs and spaces', () => {
    expect(LongText(20).parse(' one\n\ttwo ')).toBe(' one\n\ttwo ')
    expect(LongText(20).parse('')).toBe('')
  })

  it.each(['a\u0000b', 'a\rb', '\udc00', 'x'.repeat(21)])('rejects %j', (text) => {
    expect(LongText(20).safeParse(text).success).toBe(false)
  })
})

describe('Line', () => {
  it('accepts one line within its length limits, and does not trim it', () => {
    expect(Line(2, 4).parse(' a')).toBe(' a')
    for (const text of ['a', 'abcde', 'a\nb', 'a\tb']) expect(Line(2, 4).safeParse(text).success).toBe(false)
  })
})

describe('TruncatedText', () => {
  it.each([
    ['  visitor  ', 'visitor'],
    ['x'.repeat(130), 'x'.repeat(120)],
    [`  ${clef.repeat(121)}`, clef.repeat(120)],
    ['a\u0000b\n', 'ab'],
    ['\ud800x', '\ufffdx'],
    ['', undefined],
    [' \u0000 ', undefined],
  ])('changes %j to %j', (sent, truncated) => {
    expect(TruncatedText(120).parse(sent)).toBe(truncated)
  })
})

describe('numbers, cursors and tokens', () => {
  it('reject values outside their range or length', () => {
    for (const percent of [0, 33.33, 100]) expect(Percent.parse(percent)).toBe(percent)
    for (const percent of [-0.01, 100.01, Number.NaN, Number.POSITIVE_INFINITY, '50', null])
      expect(Percent.safeParse(percent).success).toBe(false)
    expect(Cursor.safeParse('').success).toBe(false)
    expect(Token.safeParse('x'.repeat(42)).success).toBe(false)
    expect(Token.parse('x'.repeat(43))).toHaveLength(43)
  })
})

describe('a partial update', () => {
  const Change = partialUpdate({ name: Str(5), note: LongText(5).nullable() })

  it('distinguishes absent fields from null', () => {
    expect(Change.parse({ note: null })).toEqual({ note: null })
    expect(Change.parse({ name: ' a ', more: 1 })).toEqual({ name: 'a' })
  })

  it.each([{}, { more: 1 }])('rejects %j because it changes nothing', (change) => {
    expect(issuePaths(Change, change)).toEqual([''])
  })

  it('rejects null for a field that is not nullable', () => {
    expect(issuePaths(Change, { name: null })).toEqual(['name'])
  })
})
