/** A seeded random number generator (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    below: (limit: number) => Math.floor(next() * limit),
    /** Removes a random item; changes the order of the list. */
    draw<T>(list: T[]): T | undefined {
      const place = Math.floor(next() * list.length)
      const drawn = list[place]
      const last = list.pop()
      if (last !== undefined && place < list.length) list[place] = last
      return drawn
    },
  }
}

export type Random = ReturnType<typeof createRandom>
