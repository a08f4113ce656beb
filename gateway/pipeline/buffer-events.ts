import type { EventPort, NewEngagementEvent } from '#native-routes/ports.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { isOwnerVisit } from '../adapters/event-queue.ts'

// Long enough for a database that is well; nobody waits longer for an answer because of what it leaves behind.
const patienceMs = 1000

/**
 * Holds the events of one request back until its answer is known to be good, for until then the request may still be
 * given to the core, which would record them again.
 */
export const bufferEvents = (events: EventPort) => {
  const held: NewEngagementEvent[] = []
  const port: EventPort = {
    record: async (event) => {
      held.push(event)
    },
  }
  const flush = async () => {
    const awaited: Promise<void>[] = []
    for (const event of held.splice(0)) {
      const kept = events.record(event)
      if (isOwnerVisit(event)) awaited.push(kept)
    }
    if (awaited.length === 0) return
    await withTimeout(patienceMs, Promise.all(awaited), () => undefined)
  }
  return { port, flush }
}
