export type BreakerState = 'closed' | 'open' | 'half-open'

/** Why it opened: no connection to the core could be made, or the core accepts connections and does not respond. */
type OpenCause = 'unreachable' | 'hanging'

interface BreakerOptions {
  /** Consecutive connection failures that open it. */
  readonly threshold?: number
  /** How long it stays open after it opens; each failed probe with a request doubles that. */
  readonly openMs?: number
  readonly maxOpenMs?: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  /**
   * Called once for each change of the state: when it opens, also after a failed probe with a request, when it sends the
   * first of these in an open period, and when it closes.
   */
  readonly onChange?: (state: BreakerState, counts: BreakerCounts) => void
}

export interface BreakerCounts {
  /** Connections that failed since the last one that was made. */
  readonly failures: number
  /** Of the present or the last open period. */
  readonly cause: OpenCause
}

/** Whether the core responds to a request of the gateway itself; false if the signal is aborted first. */
export type ProbeCore = (signal: AbortSignal) => Promise<boolean>

export interface CircuitBreaker {
  /** Null if the request may be sent; otherwise whole seconds for `Retry-After`. */
  admit(isSafe: boolean): number | null
  /** A connection to the core was made. */
  recordSuccess(): void
  /** No connection to the core could be made. */
  recordFailure(): void
  /** The core accepts connections and does not respond: opens it at once. */
  recordHang(): void
  state(): BreakerState
  /** Null while it is closed. */
  openCause(): OpenCause | null
  /**
   * From now on it probes the core itself every `openMs` while it is open, and admits no request until the core has
   * responded. Returns what ends that.
   */
  probeInBackground(probe: ProbeCore): () => void
}

/** What `/readyz` reports of the core. */
export type CoreState = 'up' | 'down' | 'hanging'

export const coreStateOf = (breaker: Pick<CircuitBreaker, 'openCause'>): CoreState => {
  const cause = breaker.openCause()
  if (cause === null) return 'up'
  return cause === 'hanging' ? 'hanging' : 'down'
}

interface ProbesOptions {
  readonly probe: ProbeCore
  readonly intervalMs: number
  /** The core has responded to a probe. May be called again until the probes are stopped. */
  readonly onAlive: () => void
}

const maxRunningProbes = 5

/**
 * Probes the core at each interval, whether or not earlier probes have ended: one that was sent while the core hung
 * may never get a response. Returns what ends that.
 */
const startBackgroundProbes = ({ probe, intervalMs, onAlive }: ProbesOptions) => {
  const running: AbortController[] = []
  let isStopped = false

  const run = async () => {
    // The oldest one keeps waiting: a core that responds late to every request would otherwise never count as alive.
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

// For this many open periods only safe requests may probe. Then others may as well, or a core that receives no safe
// requests would never be probed; a failure to connect has no effect.
const safeOnlyPeriods = 5

/**
 * Stops sending to a core that cannot be reached or hangs, and probes it until it responds again: with single requests
 * of clients, or in the background where a process has timers.
 */
export const createCircuitBreaker = ({
  threshold = 5,
  openMs = 1000,
  maxOpenMs = 30_000,
  now = () => performance.now(),
  onChange = () => {},
}: BreakerOptions = {}): CircuitBreaker => {
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
    if (probe) stopProbes = startBackgroundProbes({ probe, intervalMs: openMs, onAlive: close })
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
    // A probe whose client disconnects reports no result; the next probe is admitted after another period.
    probeUntil = at + period
    if (isFirstProbe) onChange('half-open', { failures, cause })
    return null
  }

  return {
    admit(isSafe) {
      if (!isOpen) return null
      return probe ? Math.ceil(openMs / 1000) : admitProbe(isSafe)
    },
    recordSuccess() {
      if (!isOpen) failures = 0
      // A core that hangs accepts connections as well, so only the response to a probe closes it.
      else if (!probe) close()
    },
    recordFailure() {
      failures += 1
      if (!isOpen && failures >= threshold) open('unreachable')
      else if (isOpen && probeUntil > 0) openFor(period * 2)
    },
    recordHang() {
      if (!isOpen) open('hanging')
    },
    state() {
      if (!isOpen) return 'closed'
      return !probe && now() >= probeFrom ? 'half-open' : 'open'
    },
    openCause: () => (isOpen ? cause : null),
    probeInBackground(probeCore) {
      probe = probeCore
      return () => {
        probe = null
        stopProbes()
      }
    },
  }
}
