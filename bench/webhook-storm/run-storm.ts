import { deliverAll } from './deliver.ts'
import { type Faults, findFaults } from './find-faults.ts'
import { startMortalGateway } from './mortal-gateway.ts'
import { createOutstanding } from './outstanding-events.ts'
import { createRandom } from './random.ts'
import { startProvider, subscribe } from './subscribers.ts'

interface StormOptions {
  /** For what need not outlive the storm. */
  readonly folder: string
  /** How many different ones; one in five is delivered twice. */
  readonly events: number
  /** How often the gateway is killed (-9) and started again. */
  readonly kills: number
  readonly databaseUrl: string
  /** Stops the database and starts it again at the same address, once for each time that is wanted. */
  readonly restarts?: readonly (() => Promise<void>)[]
  readonly seed?: number
}

interface StormReport {
  readonly accounts: number
  readonly events: number
  /** How many were answered well. */
  readonly deliveries: number
  /** How many were not, because the gateway or its database was away. */
  readonly failures: number
  readonly seconds: number
  readonly faults: Faults
}

const eventsOfAnAccount = 25

type Disturbance = () => Promise<void>

// Each has its moment, by how much has been delivered; the next waits until the one before is over.
const createDisturbances = (disturbances: readonly (readonly Disturbance[])[], expected: number) => {
  const ahead = disturbances
    .flatMap((kind) =>
      kind.map((cause, index) => ({ cause, at: ((index + 1) * expected) / (kind.length + 1) })),
    )
    .sort((left, right) => left.at - right.at)
  const failed = new AbortController()
  let over: Promise<void> = Promise.resolve()
  return {
    /** Aborted when what was taken away does not come back. */
    failed: failed.signal,
    disturb(deliveries: number) {
      for (let next = ahead[0]; next && next.at <= deliveries; next = ahead[0]) {
        over = over.then(next.cause).catch((error) => failed.abort(error))
        ahead.shift()
      }
    },
    allOver: () => over,
  }
}

/**
 * Delivers the events of many subscribers in no order while the gateway dies and its database goes away, and says
 * what is amiss in the end.
 */
export const runStorm = async (options: StormOptions): Promise<StormReport> => {
  const { folder, databaseUrl, events, kills, restarts = [], seed = 1 } = options
  const random = createRandom(seed)
  const provider = await startProvider()
  const gateway = await startMortalGateway({ folder, databaseUrl, billingUrl: provider.url })
  try {
    const subscribers = []
    for (let number = 0; number < events / eventsOfAnAccount; number++)
      subscribers.push(await subscribe(provider, number))
    const outstanding = createOutstanding({ provider, subscribers, random, events })
    const { disturb, allOver, failed } = createDisturbances(
      [Array.from({ length: kills }, () => gateway.restart), restarts],
      events,
    )
    const begun = performance.now()
    const { answers, ...counts } = await deliverAll(outstanding, gateway.url, disturb, failed)
    await allOver()
    failed.throwIfAborted()
    const seconds = (performance.now() - begun) / 1000
    const { told } = outstanding
    const faults = await findFaults({ databaseUrl, provider, subscribers, told, answers })
    return { accounts: subscribers.length, events: told.length, ...counts, seconds, faults }
  } finally {
    await gateway.end()
    await provider.close()
  }
}
