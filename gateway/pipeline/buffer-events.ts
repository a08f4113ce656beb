import type { EventPort, NewEngagementEvent } from '#native-routes/ports.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { isOwnerVisit } from '../adapters/event-queue.ts'

// Bounds how long a slow database can delay the response.
const flushTimeoutMs = 1000

/**
 * Buffers the events of one request until its response is known. Until then the core may still serve the request, and
 * would record the same events.
 */
export const bufferEvents = (events: EventPort) => {
  const buffered: NewEngagementEvent[] = []
  const port: EventPort = {
    record: async (event) => {
      buffered.push(event)
    },
  }
  const flush = async () => {
    const awaited: Promise<void>[] = []
    for (const event of buffered.splice(0)) {
      const recorded = events.record(event)
      if (isOwnerVisit(event)) awaited.push(recorded)
    }
    if (awaited.length === 0) return
    await withTimeout(flushTimeoutMs, Promise.all(awaited), () => undefined)
  }
  return { port, flush }
}
