import { dayMs } from '#shared/durations.ts'
import { DailyBaseline } from './daily-baseline.ts'

export type DatabaseState = 'normal' | 'slow' | 'failing'

/** The database's health, measured independently of the requests that use it. */
export interface DatabaseHealth {
  state(): DatabaseState
}

/** For platforms that do not measure their database. */
export const unmeasuredDatabase: DatabaseHealth = { state: () => 'normal' }

interface PolledHealthOptions {
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number
  readonly onChange?: (state: DatabaseState) => void
}

const comparedPolls = 5
const minUsualPolls = 20
const stateLastsMs = 10_000
/** If a database stays slower for this long, the slower duration becomes the usual one. */
const maxSlowMs = 60 * 60_000

// The extra 100 ms allow for a busy machine, which can delay a poll by tens of milliseconds. A poll usually takes only
// a few.
const isSlow = (durationMs: number, usualMs: number) => durationMs > 4 * usualMs + 100

/**
 * Judges from regular polls whether the database was slow or failing within the last ten seconds. It was slow if the
 * median of five polls exceeds four times the day's usual median plus 100 ms. It was failing if most of the five polls
 * failed. Slow polls do not change the usual median unless they last an hour.
 */
export class PolledDatabaseHealth implements DatabaseHealth {
  readonly #now: () => number
  readonly #onChange: (state: DatabaseState) => void
  #usual: DailyBaseline
  #latest: readonly number[] = []
  #state: DatabaseState = 'normal'
  #since = 0
  #until = Number.NEGATIVE_INFINITY

  constructor({ now, onChange = () => {} }: PolledHealthOptions) {
    this.#now = now
    this.#onChange = onChange
    this.#usual = new DailyBaseline(now(), dayMs)
  }

  state() {
    // The state returns to normal even if no further poll follows.
    if (this.#state !== 'normal' && this.#now() >= this.#until) this.#change('normal')
    return this.#state
  }

  recordPoll(durationMs: number, hasFailed: boolean) {
    const now = this.#now()
    this.#latest = [
      ...this.#latest.slice(1 - comparedPolls),
      hasFailed ? Number.POSITIVE_INFINITY : durationMs,
    ]
    const found = this.#findState()
    if (found !== 'normal') {
      this.#until = now + stateLastsMs
      if (this.#state === 'normal') this.#since = now
      this.#change(found)
    }
    if (this.state() === 'normal') {
      this.#usual.advance(now)
      this.#usual.add(hasFailed, durationMs)
    } else if (now - this.#since > maxSlowMs) this.#forgetUsual(now)
  }

  #findState(): DatabaseState {
    if (this.#latest.length < comparedPolls) return 'normal'
    const median = [...this.#latest].sort((a, b) => a - b)[Math.floor(comparedPolls / 2)] ?? 0
    if (median === Number.POSITIVE_INFINITY) return 'failing'
    const isKnown = this.#usual.timed >= minUsualPolls
    return isKnown && isSlow(median, this.#usual.percentileMs(0.5)) ? 'slow' : 'normal'
  }

  #change(state: DatabaseState) {
    if (state === this.#state) return
    this.#state = state
    this.#onChange(state)
  }

  #forgetUsual(now: number) {
    this.#usual = new DailyBaseline(now, dayMs)
    this.#since = now
  }
}
