type BreakerState = 'closed' | 'open' | 'half-open'

interface BreakerOptions {
  /** Consecutive connection failures that open it. */
  readonly threshold?: number
  /** How long it stays open at first; each failed probe doubles that. */
  readonly openMs?: number
  readonly longestOpenMs?: number
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

export interface CircuitBreaker {
  /** Null lets the request through; otherwise the whole seconds after which a try may be worth it. */
  admit(safe: boolean): number | null
  /** A connection stood. */
  recordSuccess(): void
  /** No connection came about. */
  recordFailure(): void
  state(): BreakerState
}

// Requests that are not safe wait this many open periods for a safe one to probe first. They get their turn in the
// end, or a core that is sent nothing else would stay cut off; a failure to connect leaves no effect.
const periodsKeptForSafeRequests = 5

/** Stops sending to a core that cannot be reached, and lets single requests find out when it can be again. */
export const createCircuitBreaker = ({
  threshold = 5,
  openMs = 1000,
  longestOpenMs = 30_000,
  now = () => performance.now(),
}: BreakerOptions = {}): CircuitBreaker => {
  let failures = 0
  let open = false
  let period = openMs
  let probeFrom = 0
  let probeUntil = 0

  const start = (periodMs: number) => {
    open = true
    period = Math.min(periodMs, longestOpenMs)
    probeFrom = now() + period
    probeUntil = 0
  }

  const mayProbe = (at: number, safe: boolean) =>
    at >= (safe ? probeFrom : probeFrom + period * periodsKeptForSafeRequests) && at >= probeUntil

  return {
    admit(safe) {
      if (!open) return null
      const at = now()
      if (!mayProbe(at, safe)) return Math.max(1, Math.ceil((Math.max(probeFrom, probeUntil) - at) / 1000))
      // A probe whose client leaves never reports back; the next one may go after another period.
      probeUntil = at + period
      return null
    },
    recordSuccess() {
      failures = 0
      open = false
      period = openMs
    },
    recordFailure() {
      failures += 1
      if (open && probeUntil > 0) start(period * 2)
      else if (!open && failures >= threshold) start(openMs)
    },
    state: () => (!open ? 'closed' : now() >= probeFrom ? 'half-open' : 'open'),
  }
}
