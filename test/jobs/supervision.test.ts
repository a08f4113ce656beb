import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSupervision } from '#jobs/supervision.ts'

/** Starts several workers that supervise the same queues, without a database. */
const startWorkers = (count: number) => {
  let supervisedAt: number | null = null
  const passes: number[] = []
  const open = (index: number) => {
    let isStopped = false
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      if (!isStopped)
        supervision.update(supervisedAt === null ? null : (performance.now() - supervisedAt) / 1000)
    }
    const supervision = createSupervision({
      // Like pg-boss, does nothing if the last supervision began less than five seconds ago.
      supervise: async () => {
        if (supervisedAt !== null && performance.now() - supervisedAt < 5000) return
        supervisedAt = performance.now()
        passes.push(index)
      },
      onError: (error) => expect.unreachable(String(error)),
      onScheduled: (at) => {
        clearTimeout(timer)
        timer = setTimeout(check, at - performance.now())
      },
    })
    timer = setTimeout(check, supervision.nextAt() - performance.now())
    return {
      isSupervisor: () => !isStopped && supervision.isSupervisor(),
      kill() {
        isStopped = true
      },
    }
  }
  const workers = Array.from({ length: count }, (_, index) => open(index))
  return { workers, passes, age: () => performance.now() - (supervisedAt ?? 0) }
}

describe('queue supervision', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is done by only one of several workers, every five seconds', async () => {
    const { workers, passes } = startWorkers(10)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(workers.filter((worker) => worker.isSupervisor())).toHaveLength(1)
    passes.length = 0
    await vi.advanceTimersByTimeAsync(60_000)
    expect(passes.length).toBeGreaterThanOrEqual(11)
    expect(new Set(passes).size).toBe(1)
  })

  it.each([2, 10])(
    'is taken over within 15 seconds when the supervisor of %d workers dies',
    async (count) => {
      const { workers, passes, age } = startWorkers(count)
      for (let death = 0; death < count - 1; death++) {
        await vi.advanceTimersByTimeAsync(20_000 + 777 * death)
        workers.find((worker) => worker.isSupervisor())?.kill()
        let oldest = 0
        for (let ms = 0; ms < 20_000; ms += 100) {
          oldest = Math.max(oldest, age())
          await vi.advanceTimersByTimeAsync(100)
        }
        expect(oldest).toBeLessThan(15_100)
        expect(passes.length).toBeGreaterThan(0)
      }
    },
  )
})
