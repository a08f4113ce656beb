import { describe, expect, it } from 'vitest'
import { createRandomHex, createRandomUuid } from '#shared/random-ids.ts'

// More than are created from the same random bytes.
const many = 10_000

describe('random ids', () => {
  it('are UUIDs of version 4 that differ, with all digits at each of their free places', () => {
    const ids = Array.from({ length: many }, createRandomUuid)
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(many)
    const countDigits = (place: number) => new Set(ids.map((id) => id[place])).size
    const counts = Array.from({ length: 36 }, (_, place) => countDigits(place))
    const fixed = new Map([...[8, 13, 14, 18, 23].map((place) => [place, 1] as const), [19, 4]])
    expect(counts).toEqual(counts.map((_, place) => fixed.get(place) ?? 16))
  })

  it('have two digits for each byte and differ from those of other kinds', () => {
    const ids = Array.from({ length: many }, () => [
      createRandomHex(16),
      createRandomUuid().replaceAll('-', ''),
    ])
    for (const [id] of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(ids.flat()).size).toBe(2 * many)
    expect(createRandomHex(8)).toMatch(/^[0-9a-f]{16}$/)
  })
})
