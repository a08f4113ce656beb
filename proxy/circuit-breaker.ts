export type BreakerState = 'closed' | 'open' | 'half-open'

interface BreakerOptions {
  /** Consecutive connection failures that open it. */
  readonly threshold?: number
  /** How long it stays open after it opens; each failed probe doubles that. */
  readonly openMs?: number
  readonly maxOpenMs?: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  /**
   * Called once for each change of the state: when it opens, also after a failed probe, when it sends the first probe of
   * an open period, and when it closes.
   */
  readonly onChange?: (state: BreakerState, counts: BreakerCounts) => void
}

export interface BreakerCounts {
  /** Connections that failed since the last one that was made. */
  readonly failures: number
}

export interface CircuitBreaker {
  /** Null if the request may be sent; otherwise whole seconds for `Retry-After`. */
  admit(isSafe: boolean): number | null
  /** A connection to the core was made. */
  recordSuccess(): void
  /** No connection to the core could be made. */
  recordFailure(): void
  state(): BreakerState
}

// For this many open periods only safe requests may probe. Then others may as well, or a core that receives no safe
// requests would never be probed; a failure to connect has no effect.
const safeOnlyPeriods = 5

/** Stops sending to a core that cannot be reached, and probes it with single requests until it can be reached again. */
export const createCircuitBreaker = ({
  threshold = 5,
  openMs = 1000,
  maxOpenMs = 30_000,
  now = () => performance.now(),
  onChange = () => {},
}: BreakerOptions = {}): CircuitBreaker => {
  let failures = 0
  let isOpen = false
  let period = openMs
  let probeFrom = 0
  let probeUntil = 0

  const openFor = (periodMs: number) => {
    isOpen = true
    period = Math.min(periodMs, maxOpenMs)
    probeFrom = now() + period
    probeUntil = 0
    onChange('open', { failures })
  }

  const close = () => {
    isOpen = false
    period = openMs
    onChange('closed', { failures })
  }

  const mayProbe = (at: number, isSafe: boolean) =>
    at >= (isSafe ? probeFrom : probeFrom + period * safeOnlyPeriods) && at >= probeUntil

  return {
    admit(isSafe) {
      if (!isOpen) return null
      const at = now()
      if (!mayProbe(at, isSafe)) return Math.max(1, Math.ceil((Math.max(probeFrom, probeUntil) - at) / 1000))
      const isFirstProbe = probeUntil === 0
      // A probe whose client disconnects reports no result; the next probe is admitted after another period.
      probeUntil = at + period
      if (isFirstProbe) onChange('half-open', { failures })
      return null
    },
    recordSuccess() {
      if (isOpen) close()
      failures = 0
    },
    recordFailure() {
      failures += 1
      if (isOpen && probeUntil > 0) openFor(period * 2)
      else if (!isOpen && failures >= threshold) openFor(openMs)
    },
    state: () => (!isOpen ? 'closed' : now() >= probeFrom ? 'half-open' : 'open'),
  }
}
