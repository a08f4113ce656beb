export type BreakerState = 'closed' | 'open' | 'half-open'

/** Why the breaker opened: no connection could be made, or the core accepts connections but does not respond. */
type OpenCause = 'unreachable' | 'hanging'

interface BreakerOptions {
  readonly threshold?: number
  /** How long the breaker stays open. Doubles each time a client's request is used as a probe and fails. */
  readonly openMs?: number
  readonly maxOpenMs?: number
  readonly now?: () => number
  /**
   * Called once per state change: when the breaker opens, opens again after a failed probe, sends the first probe of an
   * open period, or closes.
   */
  readonly onChange?: (state: BreakerState, counts: BreakerCounts) => void
}

export interface BreakerCounts {
  /** Connection failures since the last successful connection. */
  readonly failures: number
  readonly cause: OpenCause
}

/** Whether the core responds to a request from the gateway itself; false if the signal is aborted first. */
export type ProbeCore = (signal: AbortSignal) => Promise<boolean>

export type CoreState = 'up' | 'down' | 'hanging'

export const coreStateOf = (breaker: Pick<CircuitBreaker, 'openCause'>): CoreState => {
  const cause = breaker.openCause()
  if (cause === null) return 'up'
  return cause === 'hanging' ? 'hanging' : 'down'
}

const maxRunningProbes = 5

// Probes the core at each interval without waiting for earlier probes, because one sent while the core hung may never
// get a response. Returns a function that stops the probes.
// Calls `onAlive` for each probe that the core responds to. Several may get a response before the probes stop.
const startBackgroundProbes = (probe: ProbeCore, intervalMs: number, onAlive: () => void) => {
  const running: AbortController[] = []
  let isStopped = false

  const run = async () => {
    // Aborts the second-oldest probe. The oldest keeps waiting; otherwise a core that is slow to respond would never
    // count as alive.
    if (running.length >= maxRunningProbes) running.splice(1, 1)[0]?.abort()
    const controller = new AbortController()
    running.push(controller)
    const isAlive = await probe(controller.signal)
    const index = running.indexOf(controller)
    if (index >= 0) running.splice(index, 1)
    if (isAlive && !isStopped) onAlive()
  }

  const timer = setInterval(run, intervalMs).unref()
  return () => {
    isStopped = true
    clearInterval(timer)
    for (const controller of running.splice(0)) controller.abort()
  }
}

// For this many open periods, only safe requests may probe. After that any request may; otherwise a core that gets no
// safe requests would never be probed. Probing with a write does no harm, because a failed connection has no effect.
const safeOnlyPeriods = 5

/**
 * Stops sending to a core that is unreachable or hangs, and probes it until it responds: in the background where a
 * process has timers, otherwise with clients' requests.
 */
export const createCircuitBreaker = ({
  threshold = 5,
  openMs = 1000,
  maxOpenMs = 30_000,
  now = () => performance.now(),
  onChange = () => {},
}: BreakerOptions = {}) => {
  let failures = 0
  let isOpen = false
  let cause: OpenCause = 'unreachable'
  let period = openMs
  let probeFrom = 0
  let probeUntil = 0
  let probe: ProbeCore | null = null
  let stopProbes = () => {}

  const openFor = (periodMs: number) => {
    isOpen = true
    period = Math.min(periodMs, maxOpenMs)
    probeFrom = now() + period
    probeUntil = 0
    onChange('open', { failures, cause })
  }

  const open = (because: OpenCause) => {
    cause = because
    openFor(openMs)
    if (probe) stopProbes = startBackgroundProbes(probe, openMs, close)
  }

  const close = () => {
    stopProbes()
    isOpen = false
    period = openMs
    onChange('closed', { failures, cause })
    failures = 0
  }

  const mayProbe = (at: number, isSafe: boolean) =>
    at >= (isSafe ? probeFrom : probeFrom + period * safeOnlyPeriods) && at >= probeUntil

  const admitProbe = (isSafe: boolean) => {
    const at = now()
    if (!mayProbe(at, isSafe)) return Math.max(1, Math.ceil((Math.max(probeFrom, probeUntil) - at) / 1000))
    const isFirstProbe = probeUntil === 0
    // A probe whose client disconnects reports nothing, so another probe is admitted a period later.
    probeUntil = at + period
    if (isFirstProbe) onChange('half-open', { failures, cause })
    return null
  }

  return {
    /** Returns null if the request may be sent; otherwise whole seconds for `Retry-After`. */
    admit(isSafe: boolean): number | null {
      if (!isOpen) return null
      return probe ? Math.ceil(openMs / 1000) : admitProbe(isSafe)
    },
    recordSuccess() {
      if (!isOpen) failures = 0
      // A hanging core accepts connections too, so only a response to a probe closes the breaker.
      else if (!probe) close()
    },
    recordFailure() {
      failures += 1
      if (!isOpen && failures >= threshold) open('unreachable')
      else if (isOpen && probeUntil > 0) openFor(period * 2)
    },
    /** Opens the breaker immediately, because the core accepts connections but does not respond. */
    recordHang() {
      if (!isOpen) open('hanging')
    },
    state(): BreakerState {
      if (!isOpen) return 'closed'
      return !probe && now() >= probeFrom ? 'half-open' : 'open'
    },
    openCause: (): OpenCause | null => (isOpen ? cause : null),
    /**
     * From now on, probes the core every `openMs` while the breaker is open, and admits no request until the core has
     * responded. Returns a function that stops the probes.
     */
    probeInBackground(probeCore: ProbeCore) {
      probe = probeCore
      return () => {
        probe = null
        stopProbes()
      }
    },
  }
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>
