import type { Label } from '#contracts/route-table.ts'

const instanceRequestsPerS = 5
const routeIntervalMs = 1000
const windowMs = 1000

/** Limits the requests of the gateway itself to the core. */
export interface AskBudget {
  /** Whether this many requests of a route may be sent now: all of them, or none. */
  take(label: Label, requests: number): boolean
}

/**
 * At most 5 requests per second for the instance and one per second for each route, without bursts: within any second at
 * most 5 requests are permitted. A route may exceed its second by what it takes at once, and waits that much longer.
 * `now` is in milliseconds of a monotonic clock.
 */
export const createAskBudget = (now: () => number = () => performance.now()): AskBudget => {
  const recent: number[] = []
  const permittedFrom = new Map<Label, number>()

  return {
    take(label, requests) {
      const at = now()
      while (recent[0] !== undefined && at - recent[0] >= windowMs) recent.shift()
      if (recent.length + requests > instanceRequestsPerS || at < (permittedFrom.get(label) ?? 0))
        return false
      for (let request = 0; request < requests; request += 1) recent.push(at)
      permittedFrom.set(label, at + requests * routeIntervalMs)
      return true
    },
  }
}
