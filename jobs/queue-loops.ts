import type { PgBoss } from 'pg-boss'

// The minimum time between wake-ups of a queue. Without it, a burst of jobs would cause one fetch per notification.
const wakeIntervalMs = 250
// How long pg-boss waits after finding no job. Usually, `watchQueues` wakes it earlier.
const pollIntervalS = 600
const heartbeatIntervalS = 3

interface FetchedJob<T> {
  readonly id: string
  readonly retryCount: number
  readonly data: T
  readonly signal: AbortSignal
}

export const createQueueLoops = (boss: PgBoss) => {
  const queues = new Map<string, { wakeOne(): void; wokenAt: number; timer?: NodeJS.Timeout }>()

  const startLoop = async <T>(
    queue: string,
    idle: Set<string>,
    run: (job: FetchedJob<T>) => Promise<void>,
  ) => {
    const options = { pollingIntervalSeconds: pollIntervalS, heartbeatRefreshSeconds: heartbeatIntervalS }
    const id: string = await boss.work<T>(queue, options, async (jobs) => {
      idle.delete(id)
      // Another job may be due.
      queues.get(queue)?.wakeOne()
      try {
        for (const job of jobs) await run(job)
      } finally {
        idle.add(id)
        // Without this, the loop would wait for the rest of its interval before it fetches again.
        boss.notifyWorker(id)
      }
    })
    idle.add(id)
  }

  return {
    async process<T>(queue: string, concurrency: number, run: (job: FetchedJob<T>) => Promise<void>) {
      const idle = new Set<string>()
      const wakeOne = () => {
        const [id] = idle
        if (id !== undefined) boss.notifyWorker(id)
      }
      queues.set(queue, { wakeOne, wokenAt: Number.NEGATIVE_INFINITY })
      for (let count = 0; count < concurrency; count++) await startLoop(queue, idle, run)
    },
    /** Makes one of the queue's idle loops fetch a job: at once, or a moment later if a loop was woken just before. */
    wake(name: string) {
      const queue = queues.get(name)
      if (!queue || queue.timer) return
      const wakeNow = () => {
        delete queue.timer
        queue.wokenAt = performance.now()
        queue.wakeOne()
      }
      const waitMs = queue.wokenAt + wakeIntervalMs - performance.now()
      if (waitMs <= 0) wakeNow()
      else queue.timer = setTimeout(wakeNow, waitMs)
    },
    stop() {
      for (const { timer } of queues.values()) clearTimeout(timer)
      queues.clear()
    },
  }
}
