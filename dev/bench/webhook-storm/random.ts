import { createRandom as createNumbers } from '#test/support/random.ts'

/** Random choices that are the same in each run with this seed. */
export const createRandom = (seed: number) => {
  const next = createNumbers(seed)
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
