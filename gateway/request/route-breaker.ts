import type { Label } from '#contracts/route-table.ts'

const windowMs = 10_000
const slices = 10
const sliceIntervalMs = windowMs / slices
/** The breaker stays closed below this number of requests. */
const minRequests = 5
const maxFallbackRatio = 0.2

interface SliceTally {
  requests: number
  fallbacks: number
}

interface RouteState {
  /** A ring buffer with one tally for each slice of the window. */
  readonly tallies: SliceTally[]
  slice: number
  openUntil: number
}

export interface RouteBreaker {
  isOpen(label: Label): boolean
  record(label: Label, fellBack: boolean): void
  /** The routes whose breaker is open now. */
  listOpen(): Label[]
}

const createEmptyTally = (): SliceTally => ({ requests: 0, fallbacks: 0 })

/**
 * Counts the fallbacks of each route. When more than a fifth of its requests fell back within ten seconds, the breaker
 * opens for ten seconds: requests are forwarded to the core at once, so that callers do not wait for a failing native route.
 */
export const createRouteBreaker = (now: () => number = Date.now): RouteBreaker => {
  const routes = new Map<Label, RouteState>()
  const isOpen = (label: Label) => (routes.get(label)?.openUntil ?? 0) > now()

  const findOrAddState = (label: Label): RouteState => {
    const known = routes.get(label)
    if (known) return known
    const added = { tallies: Array.from({ length: slices }, createEmptyTally), slice: 0, openUntil: 0 }
    routes.set(label, added)
    return added
  }

  // Clears the slices that have left the window.
  const advanceWindow = (state: RouteState) => {
    const slice = Math.floor(now() / sliceIntervalMs)
    const elapsed = Math.min(slices, slice - state.slice)
    for (let step = 0; step < elapsed; step += 1) state.tallies[(slice - step) % slices] = createEmptyTally()
    state.slice = slice
    return state.tallies[slice % slices] ?? createEmptyTally()
  }

  return {
    isOpen,

    listOpen: () => [...routes.keys()].filter(isOpen),

    record(label: Label, fellBack: boolean) {
      const state = findOrAddState(label)
      const current = advanceWindow(state)
      current.requests += 1
      if (!fellBack) return
      current.fallbacks += 1
      const requests = state.tallies.reduce((sum, tally) => sum + tally.requests, 0)
      const fallbacks = state.tallies.reduce((sum, tally) => sum + tally.fallbacks, 0)
      if (requests >= minRequests && fallbacks > requests * maxFallbackRatio)
        state.openUntil = now() + windowMs
    },
  }
}
