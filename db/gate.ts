import { DatabaseUnreachable } from './unreachable.ts'

export interface Gate {
  /** Runs `work` once a place is free, or throws when that takes too long. */
  pass<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Lets as many through at a time as there are connections. The driver's own queue has no deadline: a statement whose
 * caller has long been refused would stand in it until the database is back, and be executed then.
 */
export const createGate = (places: number, patienceMs: number): Gate => {
  let free = places
  const waiting = new Set<() => void>()

  const enter = () =>
    new Promise<void>((resolve, reject) => {
      const proceed = () => {
        clearTimeout(impatience)
        resolve()
      }
      const impatience = setTimeout(() => {
        waiting.delete(proceed)
        reject(new DatabaseUnreachable(`no connection became free within ${patienceMs} ms`))
      }, patienceMs)
      waiting.add(proceed)
    })

  const leave = () => {
    const [next] = waiting
    if (!next) {
      free += 1
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    async pass(work) {
      if (free > 0) free -= 1
      else await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
