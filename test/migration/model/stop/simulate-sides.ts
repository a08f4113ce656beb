import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import { createRequestTally } from '#migration/model/stop/request-counts.ts'
import { RouteMonitor } from '#migration/model/stop/route-monitor.ts'
import { createRandom } from '#test/support/random.ts'
import { canary, slowMs, usualMs } from './simulate.ts'

/** How often a side's requests arrive, and the probabilities that they are slow or fail. */
interface SideRates {
  readonly perSecond: number
  readonly slow?: number
  readonly errors?: number
}

interface SidesOptions {
  readonly native: SideRates
  readonly core: SideRates
  readonly requests: number
  /** How many core requests are known when the run begins. The same share of them fails as later. */
  readonly known?: number
}

const reportIntervalMs = 5000

export const runSides = (seed: number, { native, core, requests, known = 1000 }: SidesOptions) => {
  const random = createRandom(seed)
  let now = 0
  const monitor = new RouteMonitor(canary, createRequestTally(), {
    now: () => now,
    health: unmeasuredDatabase,
  })
  for (let count = 0; count < known; count += 1) monitor.recordCore(random() < (core.errors ?? 0), usualMs, 1)
  now += 600_000
  monitor.beginStep(canary)
  const nativeTraffic = native.perSecond / (native.perSecond + core.perSecond)
  const meanMs = 1000 / (native.perSecond + core.perSecond)
  let reportAt = now + reportIntervalMs
  for (let served = 0; served < requests; ) {
    now -= meanMs * Math.log(1 - random())
    const isNative = random() < nativeTraffic
    const { errors = 0, slow = 0.03 } = isNative ? native : core
    const failed = random() < errors
    const durationMs = random() < slow ? slowMs : usualMs
    if (isNative) {
      served += 1
      if (monitor.recordNative(failed, false, durationMs, 1)?.peer === null) return served
    } else monitor.recordCore(failed, durationMs, 1)
    if (now < reportAt) continue
    reportAt = now + reportIntervalMs
    monitor.takeDelta(null)
  }
  return Number.POSITIVE_INFINITY
}

export const countStops = (runs: number, options: SidesOptions) => {
  let stops = 0
  for (let seed = 1; seed <= runs; seed += 1)
    if (runSides(seed, options) !== Number.POSITIVE_INFINITY) stops += 1
  return stops
}
