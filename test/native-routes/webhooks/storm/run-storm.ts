import { createRandom } from '#test/support/random-choices.ts'
import { deliverAll } from './deliver-events.ts'
import { type Faults, findFaults } from './find-faults.ts'
import { createOutstanding } from './outstanding-events.ts'
import { startRestartableGateway } from './restartable-gateway.ts'
import { startProvider, subscribe } from './subscribers.ts'

interface StormOptions {
  readonly folder: string
  /** The number of different events. One in five is delivered twice. */
  readonly events: number
  readonly kills: number
  readonly databaseUrl: string
  /** Each function restarts the database at the same address. */
  readonly restarts?: readonly (() => Promise<void>)[]
  readonly seed?: number
}

interface StormReport {
  readonly accounts: number
  readonly events: number
  readonly deliveries: number
  /** Deliveries that failed because the gateway or its database was down. */
  readonly failures: number
  readonly seconds: number
  readonly faults: Faults
}

const eventsPerAccount = 25

type Disturbance = () => Promise<void>

// Each disturbance is due after a number of deliveries, and starts once the previous one has ended.
const createDisturbances = (disturbances: readonly (readonly Disturbance[])[], expected: number) => {
  const pending = disturbances
    .flatMap((kind) =>
      kind.map((cause, index) => ({ cause, at: ((index + 1) * expected) / (kind.length + 1) })),
    )
    .sort((left, right) => left.at - right.at)
  const failed = new AbortController()
  let last: Promise<void> = Promise.resolve()
  return {
    /** Aborted if a restart fails. */
    failed: failed.signal,
    disturb(deliveries: number) {
      for (let next = pending[0]; next && next.at <= deliveries; next = pending[0]) {
        last = last.then(next.cause).catch((error) => failed.abort(error))
        pending.shift()
      }
    },
    waitForAll: () => last,
  }
}

/**
 * Delivers many subscribers' events in random order while the gateway is killed and its database is restarted. Reports
 * what is wrong afterwards.
 */
export const runStorm = async (options: StormOptions): Promise<StormReport> => {
  const { folder, databaseUrl, events, kills, restarts = [], seed = 1 } = options
  const random = createRandom(seed)
  const provider = await startProvider()
  const gateway = await startRestartableGateway({ folder, databaseUrl, billingUrl: provider.url })
  try {
    const subscribers = []
    for (let number = 0; number < events / eventsPerAccount; number++)
      subscribers.push(await subscribe(provider, number))
    const outstanding = createOutstanding({ provider, subscribers, random, events })
    const { disturb, waitForAll, failed } = createDisturbances(
      [Array.from({ length: kills }, () => gateway.restart), restarts],
      events,
    )
    const begun = performance.now()
    const { statuses, ...counts } = await deliverAll(outstanding, gateway.url, disturb, failed)
    await waitForAll()
    failed.throwIfAborted()
    const seconds = (performance.now() - begun) / 1000
    const { emitted } = outstanding
    const faults = await findFaults({ databaseUrl, provider, subscribers, emitted, statuses })
    return { accounts: subscribers.length, events: emitted.length, ...counts, seconds, faults }
  } finally {
    await gateway.end()
    await provider.close()
  }
}
