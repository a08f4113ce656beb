import type { EventPort, NewEngagementEvent } from '#native-routes/ports.ts'
import { describeError, type Log } from './log.ts'

// Long enough for a database that is well; nobody waits longer for an answer because of what it leaves behind.
const patienceMs = 1000

/**
 * Holds the events of one request back until its answer is known to be good, for until then the request may still be
 * given to the core, which would record them again.
 */
export const bufferEvents = (events: EventPort, log: Log) => {
  const held: NewEngagementEvent[] = []
  const port: EventPort = {
    record: async (event) => {
      held.push(event)
    },
  }
  const keep = async () => {
    const [outcome] = await Promise.allSettled(held.splice(0).map((event) => events.record(event)))
    if (outcome?.status === 'rejected')
      log.warn({ failure: describeError(outcome.reason) }, 'an engagement event was lost')
  }
  const flush = async () => {
    if (held.length === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([keep(), patience])
    clearTimeout(timer)
  }
  return { port, flush }
}
