import { BucketHistogram } from './histogram.ts'

// in seconds
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1]
const durations = new Map<string, BucketHistogram>()

/** Such work keeps requests waiting. All work with the same name shares one histogram. */
export const measureTimerWork = <T>(work: string, run: () => T): T => {
  const startedAt = performance.now()
  try {
    return run()
  } finally {
    const histogram = durations.get(work) ?? new BucketHistogram(bounds)
    durations.set(work, histogram)
    histogram.observe((performance.now() - startedAt) / 1000)
  }
}

export const listTimerWork = () =>
  [...durations].map(([work, histogram]) => ({ labels: { work }, histogram }))

interface Repeated {
  stop(): Promise<void>
}

/**
 * Repeats work that must not throw or reject. Skips a run if the previous one is still running. The first run comes at
 * a random time within the interval, so that work with the same interval is spread out. Does not keep the process
 * alive.
 */
export const repeat = (work: string, run: () => void | Promise<void>, intervalMs: number): Repeated => {
  let running: Promise<void> | undefined
  const runOnce = () => {
    if (running) return
    const ended = measureTimerWork(work, run)
    if (ended instanceof Promise)
      running = ended.finally(() => {
        running = undefined
      })
  }
  let timer = setTimeout(() => {
    // Set before the first run, because that run may call `stop`.
    timer = setInterval(runOnce, intervalMs).unref()
    runOnce()
  }, Math.random() * intervalMs).unref()
  return {
    async stop() {
      clearTimeout(timer)
      await running
    },
  }
}
