import type { ProbeCore } from '../circuit-breaker.ts'

interface WaitingRequest {
  /** Whether the request has no response head yet and only the core is to blame. */
  readonly waitsForHead: boolean
}

export interface HangTiming {
  /**
   * How long the core may go without sending a head before it is probed. If three times the usual 99th percentile is
   * longer, that applies instead.
   */
  readonly silenceMs: number
  /** How long a probe may then wait for a head. */
  readonly probeTimeoutMs: number
}

interface HangMonitorOptions {
  readonly requests: () => readonly WaitingRequest[]
  readonly usualP99Ms: () => number | null
  readonly probe: ProbeCore
  readonly onHang: () => void
  /** How many requests must be waiting before the core can count as hanging. Defaults to five. */
  readonly minWaiting?: () => number
  readonly timing?: Partial<HangTiming>
}

const defaultTiming: HangTiming = { silenceMs: 2000, probeTimeoutMs: 1000 }
const usualFactor = 3
/** Fewer requests might all just be slow. */
export const usualMinWaiting = 5

export const countUpTo = (limit: number, requests: readonly WaitingRequest[]) => {
  let count = 0
  for (const { waitsForHead } of requests) {
    if (waitsForHead) count += 1
    if (count === limit) break
  }
  return count
}

/**
 * Detects a hanging core: it accepts connections, but no response head arrives on any of them, nor on a new one. A core
 * that is merely slow still sends heads, if only to the probe.
 */
export class HangMonitor {
  /** When a head last arrived, by `performance.now()`. */
  lastHeadAt = Number.NEGATIVE_INFINITY
  readonly #options: HangMonitorOptions
  readonly #timing: HangTiming
  #checkedAt = Number.NEGATIVE_INFINITY
  #silentSince = Number.NEGATIVE_INFINITY
  #probe: { readonly startedAt: number; readonly controller: AbortController } | null = null

  constructor(options: HangMonitorOptions) {
    this.#options = options
    this.#timing = { ...defaultTiming, ...options.timing }
  }

  /** Call this several times within `silenceMs` while there are requests. */
  check(now: number) {
    // A process that was paused or too busy has not read what the core sent meanwhile.
    const wasPaused = now - this.#checkedAt > this.#timing.silenceMs / 2
    this.#checkedAt = now
    if (wasPaused || !this.#isSilent()) return this.reset(now)
    if (this.#probe === null && now - this.#silentSince >= this.#maxSilenceMs()) this.#startProbe(now)
    // Concludes only after this iteration of the event loop has read what has already arrived.
    else if (this.#probe && now - this.#probe.startedAt >= this.#verdictAfterMs) setImmediate(this.#conclude)
  }

  reset(now: number) {
    this.#silentSince = now
    this.#probe?.controller.abort()
    this.#probe = null
  }

  // Leaves extra time, because a core that became three seconds slower sends its first heads just as the probe times
  // out.
  get #verdictAfterMs() {
    return this.#timing.probeTimeoutMs * 1.5
  }

  #isSilent() {
    const { requests, minWaiting } = this.#options
    const needed = minWaiting?.() ?? usualMinWaiting
    return this.lastHeadAt < this.#silentSince && countUpTo(needed, requests()) === needed
  }

  #maxSilenceMs() {
    return Math.max(this.#timing.silenceMs, (this.#options.usualP99Ms() ?? 0) * usualFactor)
  }

  #startProbe(now: number) {
    const probe = { startedAt: now, controller: new AbortController() }
    this.#probe = probe
    void this.#options.probe(probe.controller.signal).then((isAlive) => {
      if (isAlive) this.lastHeadAt = performance.now()
    })
  }

  readonly #conclude = () => {
    if (this.#probe === null) return
    const hangs = this.#isSilent()
    this.reset(this.#checkedAt)
    if (hangs) this.#options.onHang()
  }
}
