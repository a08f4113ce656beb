import { isDatabaseUnavailable } from '#db/connection.ts'
import { newId } from '#db/new-id.ts'
import type { EventPort, NewEngagementEvent } from '#native-routes/ports.ts'
import { describeError, type Log } from './log.ts'

/** An event with the moment at which it happened; its id sees to it that it is kept once, however often it is written. */
export interface QueuedEvent extends NewEngagementEvent {
  readonly id: string
  readonly occurredAt: string
}

interface QueueParts {
  /** Writes all of them or none. */
  readonly write: (events: readonly QueuedEvent[]) => Promise<void>
  readonly onDropped: (count: number) => void
  readonly log: Log
  readonly capacity?: number
  readonly batchSize?: number
  readonly retryMs?: number
}

interface Waiting {
  readonly event: QueuedEvent
  readonly settle: () => void
}

type Outcome = 'written' | 'refused' | 'unavailable'

export interface EventQueue extends EventPort {
  /** Writes what is waiting, for so long at most, and drops what is left and whatever comes after. */
  close(withinMs?: number): Promise<void>
}

/**
 * Writes events behind the answers, one batch after another. While the database is away they wait, as many as there
 * is room for; what has to be dropped is counted. Nobody is told, for nobody could do anything about it.
 */
export const createEventQueue = (parts: QueueParts): EventQueue => {
  const { write, onDropped, log, capacity = 10_000, batchSize = 500, retryMs = 1000 } = parts
  const waiting: Waiting[] = []
  let writing: Promise<void> | null = null
  let closed = false
  let wake = () => {}

  const take = (count: number) => {
    const taken = waiting.splice(0, count)
    for (const { settle } of taken) settle()
    return taken.length
  }
  const drop = (count: number) => {
    const dropped = take(count)
    if (dropped > 0) onDropped(dropped)
  }

  const attempt = async (count: number): Promise<Outcome> => {
    try {
      await write(waiting.slice(0, count).map(({ event }) => event))
      return 'written'
    } catch (error) {
      log.warn({ failure: describeError(error), waiting: waiting.length }, 'engagement events were not kept')
      return isDatabaseUnavailable(error) ? 'unavailable' : 'refused'
    }
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, retryMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  // Of a batch that is refused each is tried for itself, so that one bad event takes no other with it.
  const writeAll = async () => {
    let size = batchSize
    while (waiting.length > 0) {
      const count = Math.min(size, waiting.length)
      const outcome = await attempt(count)
      if (outcome === 'unavailable' && !closed) await pause()
      else if (outcome === 'unavailable') drop(waiting.length)
      else if (outcome === 'written') take(count)
      else if (count === 1) drop(1)
      size = outcome === 'refused' && count > 1 ? 1 : batchSize
    }
    writing = null
  }

  return {
    record: (event) =>
      new Promise((settle) => {
        if (closed || waiting.length >= capacity) {
          onDropped(1)
          return settle()
        }
        waiting.push({ event: { ...event, id: newId(), occurredAt: new Date().toISOString() }, settle })
        writing ??= writeAll()
      }),

    async close(withinMs = 5000) {
      closed = true
      wake()
      if (writing) {
        let timer: ReturnType<typeof setTimeout> | undefined
        const patience = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, withinMs)
        })
        await Promise.race([writing, patience])
        clearTimeout(timer)
      }
      drop(waiting.length)
    },
  }
}
