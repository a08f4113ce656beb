import { setTimeout as sleep } from 'node:timers/promises'
import { type NativeRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { RelayFault } from '#test/support/database-relay.ts'
import type { CoreFault } from './write-core.ts'

/** Shorter than the default, because requests wait this long for a late handler or a stalled connection. */
export const nativeTimeoutMs = 750

type FaultSource = 'handler' | 'database' | 'core'

interface FaultOptions {
  readonly random: () => number
  /** The share of requests to the core that fail. */
  readonly coreFaultRate: number
  /** The share of statements at which the database connection stalls. */
  readonly stallRate: number
}

const realCreate = handlers['libraries.create']
const coreFaults: readonly CoreFault[] = ['cut-before', 'cut-after', 'cut-inside', 'error']

/** Injects random faults around `libraries.create`: in the handler, between it and the database, and in the core. */
export const createFaults = ({ random, coreFaultRate, stallRate }: FaultOptions) => {
  const counts: Record<FaultSource, number> = { handler: 0, database: 0, core: 0 }
  let isEnabled = false
  let active = 0

  const happens = (source: FaultSource, probability: number) => {
    if (!isEnabled || random() >= probability) return false
    counts[source] += 1
    return true
  }
  const throwAtRandom = (probability: number) => {
    if (happens('handler', probability)) throw random() < 0.5 ? new NotPortedError() : new TypeError('fault')
  }
  // The core serves the request in the meantime, so the handler must no longer be able to write.
  const exceedTimeoutAtRandom = async (probability: number) => {
    if (happens('handler', probability)) await sleep(nativeTimeoutMs * 1.5)
  }

  // The real handler, which may be late or may throw before, inside or after its transaction.
  const handle: (typeof realCreate)['handle'] = async (input, ports) => {
    throwAtRandom(0.25)
    await exceedTimeoutAtRandom(0.01)
    const tx: Ports['db']['tx'] = (work) =>
      ports.db.tx(async (inside) => {
        throwAtRandom(0.15)
        const result = await work(inside)
        throwAtRandom(0.25)
        return result
      })
    const result = await realCreate.handle(input, { ...ports, db: { ...ports.db, tx } })
    throwAtRandom(0.3)
    return result
  }
  const create: NativeRoute<'libraries.create'> = {
    ...realCreate,
    async handle(input, ports) {
      active += 1
      try {
        return await handle(input, ports)
      } finally {
        active -= 1
      }
    },
  }

  // Cuts or stalls the connection at random statements of a transaction.
  const drawDatabaseFault = (): RelayFault => {
    if (happens('database', 0.01)) return 'cut-before'
    if (happens('database', 0.01)) return 'cut-after'
    return happens('database', stallRate) ? 'stall' : null
  }

  const drawCoreFault = (): CoreFault | null =>
    happens('core', coreFaultRate) ? (coreFaults[Math.floor(random() * coreFaults.length)] ?? null) : null

  return {
    counts,
    /** The number of running handlers, including those whose requests were abandoned. */
    countActive: () => active,
    countAll: () => counts.handler + counts.database + counts.core,
    enable() {
      Object.assign(counts, { handler: 0, database: 0, core: 0 })
      isEnabled = true
    },
    disable() {
      isEnabled = false
    },
    handlers: { ...handlers, 'libraries.create': create },
    drawDatabaseFault,
    drawCoreFault,
  }
}

export type Faults = ReturnType<typeof createFaults>
