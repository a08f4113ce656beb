import { type DatabaseHealth, unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import type { ObservedStep } from '#migration/model/stop/observed-step.ts'
import { createRequestTally } from '#migration/model/stop/request-counts.ts'
import { RouteMonitor } from '#migration/model/stop/route-monitor.ts'
import { createRandom } from '#test/support/random.ts'

export const canary: ObservedStep = {
  version: 1,
  epoch: 1,
  nativeTraffic: 'some',
  weightBp: 5000,
  isHeld: false,
}
export const full: ObservedStep = { ...canary, nativeTraffic: 'all', weightBp: 10_000 }

/** How long most responses take, and a duration above the slow threshold that results from it. */
export const usualMs = 10
export const slowMs = 1000

/** A side's usual behaviour as it is stored: nearly every response takes `usualMs`. */
export const usualBehaviour = { requests: 2000, errors: 0, timed: 2000, p95Ms: usualMs }

export interface Simulation {
  readonly monitor: RouteMonitor
  readonly other: RouteMonitor
  readonly clock: { now: number }
}

export const createMonitors = (
  step: ObservedStep,
  { health = unmeasuredDatabase, dayMs }: { health?: DatabaseHealth; dayMs?: number } = {},
): Simulation => {
  const clock = { now: 0 }
  const allRoutes = createRequestTally()
  const options = { now: () => clock.now, health, ...(dayMs === undefined ? {} : { dayMs }) }
  return {
    monitor: new RouteMonitor(step, allRoutes, options),
    other: new RouteMonitor(step, allRoutes, options),
    clock,
  }
}

/** Monitors of routes whose core has served 2,000 requests, each in `usualMs`; `coreErrors` of them failed. */
export const createMonitor = (step = canary, coreErrors = 0, health = unmeasuredDatabase): Simulation => {
  const simulation = createMonitors(step, { health })
  for (const monitor of [simulation.monitor, simulation.other]) {
    for (let count = 0; count < 2000; count += 1) monitor.recordCore(count < coreErrors, usualMs, 1)
  }
  simulation.clock.now += 600_000
  for (const monitor of [simulation.monitor, simulation.other]) monitor.beginStep(step)
  return simulation
}

/** Monitors of routes that only native serves, with the stored behaviour of earlier days. */
export const createFull = (): Simulation => {
  const simulation = createMonitors(full)
  for (const monitor of [simulation.monitor, simulation.other])
    monitor.adoptStored({ core: null, native: usualBehaviour })
  return simulation
}

/**
 * Counts the native requests, one every 10 ms, until the monitor raises an alarm that is not void; infinity if there
 * are more than `limit`. For each request, the core and the other route serve one too, which is slow with the
 * probability `peersSlow`.
 */
export const countUntilAlarm = (
  { monitor, other, clock }: Simulation,
  random: () => number,
  {
    errors = 0,
    slow = 0,
    peersSlow = 0.03,
    core = 1,
    limit = 10_000,
  }: { errors?: number; slow?: number; peersSlow?: number; core?: 0 | 1; limit?: number },
) => {
  const durationFor = (rate: number) => (random() < rate ? slowMs : usualMs)
  for (let count = 1; count <= limit; count += 1) {
    clock.now += 10
    if (core) monitor.recordCore(false, durationFor(peersSlow), 1)
    other.recordNative(false, false, durationFor(peersSlow), 1)
    const alarm = monitor.recordNative(random() < errors, false, durationFor(slow), 1)
    if (alarm?.peer === null) return count
  }
  return Number.POSITIVE_INFINITY
}

export const simulate = (runs: number, run: (random: () => number) => number) =>
  Array.from({ length: runs }, (_, seed) => run(createRandom(seed + 1))).sort((a, b) => a - b)

export const medianOf = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)]
