import type { Label } from '#contracts/route-table.ts'
import type { BreakerState } from '#proxy/circuit-breaker.ts'

const windowMs = 10_000
const slices = 10
const sliceIntervalMs = windowMs / slices
/**
 * The breaker stays closed below this number of requests: as many as raise an alarm of `routing/stop-monitor.ts` if all
 * of them fail, so that an open breaker does not delay that.
 */
const minRequests = 6
const maxFallbackRatio = 0.2

interface SliceTally {
  requests: number
  fallbacks: number
}

/** The requests of the window, and how many of them fell back. */
export type WindowCounts = Readonly<SliceTally>

interface RouteState {
  /** A ring buffer with one tally for each slice of the window. */
  readonly tallies: SliceTally[]
  slice: number
  isOpen: boolean
  openUntil: number
}

interface RouteBreakerOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Called once when a breaker opens, and once when it is found to have closed. */
  readonly onChange?: (label: Label, state: Exclude<BreakerState, 'half-open'>, counts: WindowCounts) => void
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
 * It decides on few requests and ends by itself. What stops a route for good is `routing/stop-monitor.ts`, which also
 * counts failures that did not fall back. It needs no timer: the next request of the route or the next reader of the states finds that it has closed.
 */
export const createRouteBreaker = ({
  now = Date.now,
  onChange = () => {},
}: RouteBreakerOptions = {}): RouteBreaker => {
  const routes = new Map<Label, RouteState>()

  const isOpen = (label: Label) => {
    const state = routes.get(label)
    if (!state?.isOpen) return false
    if (now() < state.openUntil) return true
    state.isOpen = false
    advanceWindow(state)
    onChange(label, 'closed', countWindow(state))
    return false
  }

  const findOrAddState = (label: Label): RouteState => {
    const known = routes.get(label)
    if (known) return known
    const added = {
      tallies: Array.from({ length: slices }, createEmptyTally),
      slice: 0,
      isOpen: false,
      openUntil: 0,
    }
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

  const countWindow = ({ tallies }: RouteState): WindowCounts => ({
    requests: tallies.reduce((sum, { requests }) => sum + requests, 0),
    fallbacks: tallies.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
  })

  return {
    isOpen,

    listOpen: () => [...routes.keys()].filter(isOpen),

    record(label: Label, fellBack: boolean) {
      const state = findOrAddState(label)
      const current = advanceWindow(state)
      current.requests += 1
      if (!fellBack) return
      current.fallbacks += 1
      const counts = countWindow(state)
      const { requests, fallbacks } = counts
      if (requests < minRequests || fallbacks <= requests * maxFallbackRatio) return
      // First closes a breaker whose time has passed, so that opening it again counts as a change.
      const wasOpen = isOpen(label)
      state.isOpen = true
      state.openUntil = now() + windowMs
      if (!wasOpen) onChange(label, 'open', counts)
    },
  }
}
