import { RouteMonitor, type RouteStep } from '#migration/routing/stop/route-monitor.ts'

/** Uniform numbers from 0 to 1 that are the same in each run (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const canary: RouteStep = { version: 1, nativeShare: 'some' }
export const full: RouteStep = { version: 1, nativeShare: 'all' }

/** The duration of most responses, and one over the slow threshold of a core that has it. */
export const usualMs = 10
export const slowMs = 1000

/** A monitor whose core has served 2,000 requests in `usualMs`, some of which failed; `clock.now` is its time. */
export const createMonitor = (step = canary, coreErrors = 0) => {
  const clock = { now: 0 }
  const monitor = new RouteMonitor(step, { now: () => clock.now })
  for (let count = 0; count < 2000; count += 1) monitor.recordCore(count < coreErrors, usualMs)
  clock.now += 600_000
  monitor.beginStep(step)
  monitor.takeDelta()
  return { monitor, clock }
}

/** How many native requests it takes until the monitor raises an alarm; infinity if more than `limit`. */
export const countUntilAlarm = (
  monitor: RouteMonitor,
  random: () => number,
  { errors = 0, slow = 0, limit = 10_000 }: { errors?: number; slow?: number; limit?: number },
) => {
  for (let count = 1; count <= limit; count += 1) {
    const cause = monitor.recordNative(random() < errors, false, random() < slow ? slowMs : usualMs)
    if (cause !== null) return count
  }
  return Number.POSITIVE_INFINITY
}

/** The results of `runs` seeds, the smallest first. */
export const simulate = (runs: number, run: (random: () => number) => number) =>
  Array.from({ length: runs }, (_, seed) => run(createRandom(seed + 1))).sort((a, b) => a - b)

export const medianOf = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)]
