import type { Label } from '#contracts/route-table.ts'
import type { Log } from '#gateway/observability/log.ts'

const windowMs = 10_000
const slices = 10
const sliceIntervalMs = windowMs / slices
/** A pause needs this many requests. A stop needs six failures, and an earlier pause would delay the stop. */
const minRequests = 6
const maxFallbackRatio = 0.2

interface SliceTally {
  requests: number
  fallbacks: number
}

const createEmptyTally = (): SliceTally => ({ requests: 0, fallbacks: 0 })

/** If over a fifth of a route's requests fell back within ten seconds, native is not tried for ten seconds. */
export class RoutePause {
  readonly #label: Label
  readonly #log: Pick<Log, 'info' | 'warn'>
  /** A ring buffer with a tally for each slice of the window. */
  readonly #tallies = Array.from({ length: slices }, createEmptyTally)
  #slice = 0
  #until = 0
  /** Whether the end of a pause still has to be logged. */
  #isOpen = false

  constructor(label: Label, log: Pick<Log, 'info' | 'warn'>) {
    this.#label = label
    this.#log = log
  }

  isPaused(now: number) {
    return now < this.#until
  }

  logEnd(now: number) {
    if (!this.#isOpen || now < this.#until) return
    this.#isOpen = false
    this.#advance(now)
    this.#log.info({ route: this.#label, ...this.#countWindow() }, 'route pause ended')
  }

  countServed(requests: number, now: number) {
    this.#advance(now).requests += requests
  }

  countFallback(now: number) {
    const current = this.#advance(now)
    current.requests += 1
    current.fallbacks += 1
    const counts = this.#countWindow()
    if (counts.requests < minRequests || counts.fallbacks <= counts.requests * maxFallbackRatio) return
    // Logs the end of the previous pause, because otherwise the start of this one would not be logged.
    this.logEnd(now)
    const isFirst = !this.#isOpen
    this.#isOpen = true
    this.#until = now + windowMs
    if (isFirst) this.#log.warn({ route: this.#label, ...counts }, 'route paused')
  }

  #advance(now: number) {
    const slice = Math.floor(now / sliceIntervalMs)
    const elapsed = Math.min(slices, slice - this.#slice)
    for (let step = 0; step < elapsed; step += 1) this.#tallies[(slice - step) % slices] = createEmptyTally()
    this.#slice = slice
    return this.#tallies[slice % slices] ?? createEmptyTally()
  }

  #countWindow(): SliceTally {
    return {
      requests: this.#tallies.reduce((sum, { requests }) => sum + requests, 0),
      fallbacks: this.#tallies.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
    }
  }
}
