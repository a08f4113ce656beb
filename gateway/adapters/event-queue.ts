// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import type { EventPort, NewEngagementEvent } from '#native-routes/ports.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { createIsoClock } from '../observability/iso-clock.ts'
import { describeError, type Log } from '../observability/log.ts'
import { createCancellableDelay } from './cancellable-delay.ts'

/** An event with the moment at which it happened; its id sees to it that it is kept once, however often it is written. */
export interface QueuedEvent extends NewEngagementEvent {
  readonly id: string
  readonly occurredAt: string
}

/** Where events are kept. */
export interface EventStore {
  /** What is held of an event until it is written: a text leaves the garbage collector little to do. */
  serialize(event: QueuedEvent): string
  /** Writes all of them or none. */
  write(events: readonly string[]): Promise<void>
}

interface QueueParts {
  readonly store: EventStore
  readonly onDropped: (count: number) => void
  readonly log: Log
  readonly capacity?: number
  readonly batchSize?: number
  readonly retryMs?: number
  /** In this time a few batches are written at once, however small; the next waits for more until it is over. */
  readonly gatherMs?: number
}

const quickBatches = 5

interface Waiting {
  readonly text: string
  /** Undefined where nobody waits. */
  readonly settle: (() => void) | undefined
}

type Outcome = 'written' | 'refused' | 'unavailable'

export interface EventQueue extends EventPort {
  /** Writes what is waiting, for so long at most, and drops what is left and whatever comes after. */
  close(withinMs?: number): Promise<void>
}

/** What owners do is there to be seen when they look next; nobody waits for what a visitor does. */
export const isOwnerVisit = ({ linkId }: NewEngagementEvent) => linkId === undefined

/**
 * Writes events behind the answers, one batch after another; an owner's are written without delay. While the database
 * is away they wait, as many as there is room for; what has to be dropped is counted. Nobody is told, for nobody could
 * do anything about it.
 */
export const createEventQueue = (parts: QueueParts): EventQueue => {
  const { store, onDropped, log, capacity = 10_000, batchSize = 500, retryMs = 1000, gatherMs = 200 } = parts
  const waiting: Waiting[] = []
  let writing: Promise<void> | null = null
  let closed = false
  let windowEnd = 0
  let batches = 0
  const isoTime = createIsoClock()
  const gathering = createCancellableDelay()
  const retrying = createCancellableDelay()

  const take = (count: number) => {
    const taken = waiting.splice(0, count)
    for (const { settle } of taken) settle?.()
    return taken.length
  }
  const drop = (count: number) => {
    const dropped = take(count)
    if (dropped > 0) onDropped(dropped)
  }

  const attempt = async (count: number): Promise<Outcome> => {
    try {
      await store.write(waiting.slice(0, count).map(({ text }) => text))
      return 'written'
    } catch (error) {
      log.warn({ failure: describeError(error), waiting: waiting.length }, 'engagement events were not kept')
      return isDatabaseUnavailable(error) ? 'unavailable' : 'refused'
    }
  }

  const isWorthWaiting = () =>
    !closed && waiting.length < batchSize && !waiting.some(({ settle }) => settle !== undefined)

  // What single visitors do is there to be seen at once; under load a statement for each would cost more than all else.
  const gather = async () => {
    const left = windowEnd - performance.now()
    if (left > 0 && batches < quickBatches) batches += 1
    else {
      if (left > 0 && isWorthWaiting()) await gathering.take(left)
      windowEnd = performance.now() + gatherMs
      batches = 1
    }
  }

  // Of a batch that is refused each is tried for itself, so that one bad event takes no other with it.
  const writeAll = async () => {
    // How many of a batch that was refused are still to be tried.
    let suspect = 0
    let outcome: Outcome = 'written'
    while (waiting.length > 0) {
      if (outcome === 'written' && suspect === 0) await gather()
      const count = Math.min(suspect > 0 ? 1 : batchSize, waiting.length)
      outcome = await attempt(count)
      if (outcome === 'unavailable' && !closed) await retrying.take(retryMs)
      else if (outcome === 'unavailable') drop(waiting.length)
      else if (outcome === 'written') take(count)
      else if (count === 1) drop(1)
      if (outcome === 'refused' && count > 1) suspect = count
      else if (outcome !== 'unavailable' && suspect > 0) suspect -= 1
    }
    writing = null
  }

  const enqueue = (event: NewEngagementEvent, settle?: () => void) => {
    const text = store.serialize({ ...event, id: newId(), occurredAt: isoTime() })
    waiting.push({ text, settle })
    if (settle || waiting.length >= batchSize) gathering.end()
    writing ??= writeAll()
  }

  return {
    record(event) {
      if (closed || waiting.length >= capacity) onDropped(1)
      else if (isOwnerVisit(event)) return new Promise((settle) => enqueue(event, settle))
      else enqueue(event)
      return Promise.resolve()
    },

    async close(withinMs = 5000) {
      closed = true
      gathering.end()
      retrying.end()
      if (writing) await withTimeout(withinMs, writing, () => undefined)
      drop(waiting.length)
    },
  }
}
