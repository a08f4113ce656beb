// Optimized: see "GET of a share link by its token" in dev/bench/results/sharing.md.
import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import { type EventPort, isOwnerVisit, type NewEngagementEvent } from '#native-routes/ports.ts'
import { describeError } from '#shared/describe-error.ts'
import { createIsoClock } from '#shared/iso-clock.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { Log } from '../observability/log.ts'

export interface QueuedEvent extends NewEngagementEvent {
  readonly id: string
  readonly occurredAt: string
}

export interface EventStore {
  /** Strings cost the garbage collector less than objects. */
  serialize(event: QueuedEvent): string
  /** Writes all events or none. */
  write(events: readonly string[]): Promise<void>
}

interface QueueOptions {
  readonly store: EventStore
  readonly onDropped: (count: number) => void
  readonly log: Log
  readonly capacity?: number
  readonly batchSize?: number
  readonly retryMs?: number
  /**
   * How long a window lasts. Only the first few batches of a window are written immediately; the next one waits until
   * the window ends.
   */
  readonly gatherMs?: number
}

const maxImmediateBatches = 5

interface WaitingEvent {
  readonly text: string
  readonly onDone: (() => void) | undefined
}

type WriteOutcome = 'written' | 'rejected' | 'unavailable'

export interface EventQueue extends EventPort {
  countWaiting(): number
  /** Writes waiting events for at most `withinMs`, then drops the rest and any later ones. */
  close(withinMs?: number): Promise<void>
}

const createCancellableDelay = () => {
  let end = () => {}
  return {
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    end: () => end(),
  }
}

/**
 * Writes events in the background, one batch at a time, and owners' events without delay. While the database is down,
 * up to `capacity` events wait; the rest are dropped and counted. No request ever fails because of an event.
 */
export const createEventQueue = (options: QueueOptions): EventQueue => {
  const { store, onDropped, log, capacity = 10_000, batchSize = 500 } = options
  const { retryMs = 1000, gatherMs = 200 } = options
  const waiting: WaitingEvent[] = []
  let writing: Promise<void> | null = null
  let closed = false
  let windowEnd = 0
  let batches = 0
  const isoTime = createIsoClock()
  const gatherDelay = createCancellableDelay()
  const retryDelay = createCancellableDelay()

  const removeFirst = (count: number) => {
    const removed = waiting.splice(0, count)
    for (const { onDone } of removed) onDone?.()
    return removed.length
  }
  const drop = (count: number) => {
    const dropped = removeFirst(count)
    if (dropped > 0) onDropped(dropped)
  }

  const writeFirst = async (count: number): Promise<WriteOutcome> => {
    try {
      await store.write(waiting.slice(0, count).map(({ text }) => text))
      return 'written'
    } catch (error) {
      log.warn(
        { failure: describeError(error), waiting: waiting.length },
        'failed to write engagement events',
      )
      return isDatabaseUnavailable(error) ? 'unavailable' : 'rejected'
    }
  }

  const canGatherMore = () =>
    !closed && waiting.length < batchSize && !waiting.some(({ onDone }) => onDone !== undefined)

  // Single events are written immediately. Under load they are batched, because one statement per event would cost more
  // than everything else.
  const gather = async () => {
    const remainingMs = windowEnd - performance.now()
    if (remainingMs > 0 && batches < maxImmediateBatches) batches += 1
    else {
      if (remainingMs > 0 && canGatherMore()) await gatherDelay.wait(remainingMs)
      windowEnd = performance.now() + gatherMs
      batches = 1
    }
  }

  // After a batch is rejected, its events are written one by one, so that one invalid event does not take the others
  // with it.
  const writeAll = async () => {
    let singles = 0
    let outcome: WriteOutcome = 'written'
    while (waiting.length > 0) {
      if (outcome === 'written' && singles === 0) await gather()
      const count = Math.min(singles > 0 ? 1 : batchSize, waiting.length)
      outcome = await writeFirst(count)
      if (outcome === 'unavailable' && !closed) await retryDelay.wait(retryMs)
      else if (outcome === 'unavailable') drop(waiting.length)
      else if (outcome === 'written') removeFirst(count)
      else if (count === 1) drop(1)
      if (outcome === 'rejected' && count > 1) singles = count
      else if (outcome !== 'unavailable' && singles > 0) singles -= 1
    }
    writing = null
  }

  const enqueue = (event: NewEngagementEvent, onDone?: () => void) => {
    const text = store.serialize({ ...event, id: newId(), occurredAt: isoTime() })
    waiting.push({ text, onDone })
    if (onDone || waiting.length >= batchSize) gatherDelay.end()
    // One request's trace must not contain the writes of many requests.
    writing ??= runOutsideTraces(writeAll)
  }

  return {
    record(event) {
      if (closed || waiting.length >= capacity) onDropped(1)
      else if (isOwnerVisit(event)) return new Promise((onDone) => enqueue(event, onDone))
      else enqueue(event)
      return Promise.resolve()
    },

    countWaiting: () => waiting.length,

    async close(withinMs = 5000) {
      closed = true
      gatherDelay.end()
      retryDelay.end()
      if (writing) await withTimeout(withinMs, writing, () => undefined)
      drop(waiting.length)
    },
  }
}
