import type { Label } from '#contracts/route-table.ts'

const windowMs = 10_000
const slices = 10
const sliceMs = windowMs / slices
/** Fewer requests than this say nothing about a route. */
const fewest = 5
const tolerated = 0.2

interface Tally {
  requests: number
  fallbacks: number
}

interface RouteState {
  /** A ring of the window's last slices. */
  readonly tallies: Tally[]
  slice: number
  openUntil: number
}

export interface RouteBreaker {
  isOpen(label: Label): boolean
  record(label: Label, fellBack: boolean): void
}

const emptyTally = (): Tally => ({ requests: 0, fallbacks: 0 })

/**
 * Watches how many requests of a route fall back. When more than a fifth of them did within ten seconds, the route
 * is sent to the core ahead of dispatch for as long again, so that its callers do not pay for native's failure.
 */
export const createRouteBreaker = (now: () => number = Date.now): RouteBreaker => {
  const routes = new Map<Label, RouteState>()

  const stateOf = (label: Label): RouteState => {
    const known = routes.get(label)
    if (known) return known
    const added = { tallies: Array.from({ length: slices }, emptyTally), slice: 0, openUntil: 0 }
    routes.set(label, added)
    return added
  }

  // What happened in slices that have passed out of the window does not count any more.
  const currentTally = (state: RouteState) => {
    const slice = Math.floor(now() / sliceMs)
    const passed = Math.min(slices, slice - state.slice)
    for (let step = 0; step < passed; step += 1) state.tallies[(slice - step) % slices] = emptyTally()
    state.slice = slice
    return state.tallies[slice % slices] ?? emptyTally()
  }

  return {
    isOpen: (label: Label) => (routes.get(label)?.openUntil ?? 0) > now(),

    record(label: Label, fellBack: boolean) {
      const state = stateOf(label)
      const current = currentTally(state)
      current.requests += 1
      if (!fellBack) return
      current.fallbacks += 1
      const requests = state.tallies.reduce((sum, tally) => sum + tally.requests, 0)
      const fallbacks = state.tallies.reduce((sum, tally) => sum + tally.fallbacks, 0)
      if (requests >= fewest && fallbacks > requests * tolerated) state.openUntil = now() + windowMs
    },
  }
}
