import { describe, expect, it } from 'vitest'
import { parseTraceState } from '#shared/tracing/trace-state.ts'

const repeat = (count: number, member: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => member(index)).join(',')

describe('parseTraceState', () => {
  it.each([
    ['one member', 'rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
    ['members in their order', 'rojo=1,congo=t61rcWkgMzE', 'rojo=1,congo=t61rcWkgMzE'],
    ['blanks around members', ' \ta=1 \t, \tb=2\t', 'a=1,b=2'],
    ['empty members', ',,a=1, ,b=2,', 'a=1,b=2'],
    ['a tenant', 'fw529a3039@dt=FfAiXOxUnY', 'fw529a3039@dt=FfAiXOxUnY'],
    ['all characters that keys may contain', 'a_-*/@0=1', 'a_-*/@0=1'],
    ['blanks inside a value', 'a=b  c', 'a=b  c'],
    ['the longest key', `${'a'.repeat(256)}=1`, `${'a'.repeat(256)}=1`],
    ['the longest value', `a=${'v'.repeat(256)}`, `a=${'v'.repeat(256)}`],
    ['32 members', repeat(32, (index) => `k${index}=1`), repeat(32, (index) => `k${index}=1`)],
  ])('reads %s', (_, header, expected) => {
    expect(parseTraceState(header)).toBe(expected)
  })

  it.each([
    ['nothing', ''],
    ['blanks only', ' , \t'],
    ['a key without a value', 'a=1,b'],
    ['an empty value', 'a='],
    ['an empty key', '=1'],
    ['an upper-case key', 'A=1'],
    ['a key that begins with a mark', '_a=1'],
    ['a blank in a key', 'a b=1'],
    ['a second equals sign', 'a=1=2'],
    ['a control character', 'a=1\u0001'],
    ['a character that is not ASCII', 'a=ä'],
    ['a key that is too long', `${'a'.repeat(257)}=1`],
    ['a value that is too long', `a=${'v'.repeat(257)}`],
    ['33 members', repeat(33, (index) => `k${index}=1`)],
  ])('drops a state with %s', (_, header) => {
    expect(parseTraceState(header)).toBeNull()
  })

  it('drops long members first, then members from the end, to fit into 512 characters', () => {
    const long = `long=${'v'.repeat(130)}`
    const short = (index: number) => `k${index}=${'v'.repeat(96)}`
    const state = parseTraceState(
      [short(0), long, ...Array.from({ length: 6 }, (_, at) => short(at + 1))].join(),
    )
    expect(state?.split(',').map((member) => member.split('=')[0])).toEqual(['k0', 'k1', 'k2', 'k3', 'k4'])
    expect(state?.length).toBeLessThanOrEqual(512)
  })

  // Counts characters instead of measuring time: the number of characters read must not depend on their order.
  it.each([
    ['blanks', ' '.repeat(16_384)],
    ['blanks inside a value', `a=${' '.repeat(16_380)}b`],
    ['blanks after each member', `${'a=1 '.repeat(8)}${' '.repeat(16_000)}`],
    ['commas', ','.repeat(16_384)],
    ['blanks and commas', ' ,'.repeat(8192)],
    ['equals signs', '='.repeat(16_384)],
    ['a key', 'a'.repeat(16_384)],
    ['members without a value', 'a,'.repeat(8192)],
    ['members', 'a=1,'.repeat(4096)],
  ])('reads each character of 16 KiB of %s only a few times', (_, header) => {
    let reads = 0
    const counted = {
      length: header.length,
      charCodeAt(index: number) {
        reads += 1
        return header.charCodeAt(index)
      },
      indexOf(sought: string, from: number) {
        const found = header.indexOf(sought, from)
        reads += (found === -1 ? header.length : found) - from
        return found
      },
      slice: (from: number, to: number) => header.slice(from, to),
    }
    parseTraceState(counted as unknown as string)
    expect(reads).toBeLessThanOrEqual(4 * header.length)
  })
})
