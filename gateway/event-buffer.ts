import type { EventPort, NewEngagementEvent } from '#native-routes/ports.ts'

// Long enough for a database that is well; nobody waits longer for an answer because of what it leaves behind.
const patienceMs = 1000

// What an owner does is there to be seen when they look next; nobody waits for what a visitor does.
const isOwnersOwn = ({ linkId }: NewEngagementEvent) => linkId === undefined

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
    const recorded = held.splice(0).map((event) => ({ event, kept: events.record(event) }))
    const awaited = recorded.filter(({ event }) => isOwnersOwn(event)).map(({ kept }) => kept)
    if (awaited.length === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([Promise.all(awaited), patience])
    clearTimeout(timer)
  }
  return { port, flush }
}
