import type { Database } from '#db/client/connection.ts'
import type { Log } from '#gateway/observability/log.ts'
import { repeat } from '#shared/repeat.ts'
import { withTimeout } from '#shared/with-timeout.ts'

export interface RecorderOptions {
  readonly db: Database['db']
  readonly instanceId: string
  readonly log: Pick<Log, 'error'>
}

const maxBatches = 20
const intervalMs = 600_000

/** `take` returns how many rows it took, or null if another instance is taking them. Returns false after a null. */
export const inBatches = async (batch: number, take: () => Promise<number | null>): Promise<boolean> => {
  for (let batches = 0; batches < maxBatches; batches += 1) {
    const taken = await take()
    if (taken === null) return false
    if (taken < batch) break
  }
  return true
}

export const atMostEveryTenMinutes = (work: () => Promise<void>) => {
  let startedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - startedAt < intervalMs) return
    startedAt = performance.now()
    await work()
  }
}

interface PeriodicWriterOptions {
  /** Names what is written, for the timer metric. */
  readonly work: string
  /** Must not reject. */
  readonly write: () => Promise<void>
  readonly writeIntervalMs?: number | undefined
  /** Deletes old data. Runs every ten minutes and must not reject. */
  readonly retain?: () => Promise<void>
}

const defaultWriteIntervalMs = 10_000
const closeTimeoutMs = 1000

/** A killed process loses what it counted since the last write. */
export const startPeriodicWriter = ({
  work,
  write,
  writeIntervalMs = defaultWriteIntervalMs,
  retain = () => Promise.resolve(),
}: PeriodicWriterOptions) => {
  const retainIfDue = atMostEveryTenMinutes(retain)
  const { stop } = repeat(
    work,
    () => {
      void retainIfDue()
      return write()
    },
    writeIntervalMs,
  )
  return {
    /** Writes the remaining changes, but does not let an unresponsive database delay the shutdown. */
    async close() {
      await withTimeout(closeTimeoutMs, stop().then(write), () => undefined)
    },
  }
}
