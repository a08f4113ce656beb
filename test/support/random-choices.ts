import { createRandom as createNumbers } from './random.ts'

export const createRandom = (seed: number) => {
  const next = createNumbers(seed)
  return {
    below: (limit: number) => Math.floor(next() * limit),
    /** Removes a random item and returns it. Also changes the order of the other items. */
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
