import { createKeyedHash } from '#db/hashes.ts'
import { createLimits, type LimitStore } from '#gateway/rate-limits/create-limits.ts'
import { createLimitState } from '#gateway/rate-limits/limit-state.ts'
import type { Rate } from '#gateway/settings/rate-limits.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

// Longer than any test takes, because the store's clock decides when windows end.
const windowS = 600
const windowMs = windowS * 1000

export const sharedRate = (count: number): Rate => ({
  count,
  seconds: windowS,
  maxHeld: Math.floor(count / 20),
  isRefundable: false,
})

/** Wraps a store to count its statements, and to make it unavailable. */
export const observeStore = (store: LimitStore) => {
  const observed = { statements: 0, isAvailable: true }
  const observe = <A extends unknown[], R>(work: (...given: A) => Promise<R>) => {
    return async (...given: A) => {
      if (!observed.isAvailable) throw new Error('the store is unavailable')
      observed.statements += 1
      return work(...given)
    }
  }
  return {
    observed,
    store: {
      reserve: observe(store.reserve),
      refund: observe(store.refund),
      deleteExpired: store.deleteExpired,
    },
  }
}

export const createClock = () => {
  let time = 1_000_000
  return {
    now: () => time,
    /** Advances the clock until keys are idle. */
    passIdleTime: () => {
      time += windowMs / 10
    },
    advance: (ms: number) => {
      time += ms
    },
    /** Advances the clock beyond the window, whose end PostgreSQL rounds to a millisecond. */
    passWindow: () => {
      time += windowMs + 1
    },
  }
}

/** Starts instances that share a store, each with its own state. */
export const startInstances = (count: number, store: LimitStore, rate: Rate, clock = createClock()) => {
  const log = createRecordingLog()
  const rates = {
    'public-reads': rate,
    'share-events': null,
    'access-codes': { ...rate, count: 1000, maxHeld: 0 },
    'access-codes-of-link': null,
    reanalyses: null,
    uploads: null,
    billing: null,
    invitations: null,
    'idempotency-keys': null,
    analytics: null,
  }
  const instances = Array.from({ length: count }, () => {
    const hash = createKeyedHash('a secret of the tests', 'limits')
    const limits = createLimits({ store, rates, hash, state: createLimitState(clock.now), log })
    const admits = (subject: string) =>
      limits.reserve('public-reads', subject).then(
        () => true,
        () => false,
      )
    return {
      limits,
      admits,
      async countAdmitted(subject: string, requests: number) {
        let admitted = 0
        for (let n = 0; n < requests; n++) if (await admits(subject)) admitted += 1
        return admitted
      },
    }
  })
  /** Lets each instance learn that there are others. */
  const meet = async () => {
    const subject = crypto.randomUUID()
    for (const { limits } of [...instances, ...instances]) await limits.reserve('access-codes', subject)
  }
  return { instances, clock, log, meet }
}
