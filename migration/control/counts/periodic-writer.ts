import { repeat } from '#shared/repeat.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { atMostEveryTenMinutes } from '../retention.ts'

interface PeriodicWriterOptions {
  /** Names what is written, for the timer metric. */
  readonly work: string
  /** Writes what has changed. Must not reject. */
  readonly write: () => Promise<void>
  readonly writeIntervalMs?: number | undefined
  /** Deletes old data. Runs every ten minutes and must not reject. */
  readonly retain?: () => Promise<void>
}

const defaultWriteIntervalMs = 10_000
const closeTimeoutMs = 1000

/**
 * Writes in-memory counts periodically, one write at a time. A killed process loses what it counted since the last
 * write.
 */
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
