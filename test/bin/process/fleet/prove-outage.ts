import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db/client/connection.ts'
import { changeRouteState } from '#migration/control/change-route-state.ts'
import { createRandom } from '#test/support/random-choices.ts'
import { findAdoption } from './adoption.ts'
import { createChanger } from './change-routing.ts'
import { checkRequests, findArrival, type RequestReport } from './check-requests.ts'
import { createAccounts, startLoad } from './load.ts'
import { type Fleet, openFleet } from './open-fleet.ts'
import { listAccountIds, logDelayMs } from './prove-changes.ts'
import { createRoutingModel } from './routing-model.ts'
import { listStalls, overlaps } from './stalls.ts'

interface OutageOptions {
  readonly folder: string
  readonly seconds: number
}

export interface OutageReport {
  readonly requests: RequestReport
  /** Requests during the outage, after its first six seconds, whose reason was neither `stale` nor `breaker`. */
  readonly notStale: number
  /** Automatic changes to the stored state, and log lines that report a stop. */
  readonly automaticChanges: number
  readonly stopLines: number
  /** Time from the database's return until each instance had adopted the change made during the outage. */
  readonly adoptedAfterMs: readonly (number | null)[]
  /** Whether the database or an event loop stalled in the three seconds after the database's return. */
  readonly isStalled: boolean
}

const staleAfterMs = 6000
const observedMs = 3000

// Makes the change directly in the database, because no instance can reach it.
const killDirectly = async ({ databaseUrl }: Fleet): Promise<number> => {
  const database = openDatabase(databaseUrl, { connections: 1 })
  try {
    const requested = {
      scope: 'packs.list',
      change: { kind: 'kill' },
      who: 'alice',
      reason: 'measured',
    } as const
    const outcome = await database.db.transaction((tx) => changeRouteState(tx, requested, new Map()))
    if (outcome.kind !== 'changed') throw new Error(`the kill was rejected: ${outcome.kind}`)
    return outcome.epoch
  } finally {
    await database.close()
  }
}

const setUnavailable = ({ relays }: Fleet, isUnavailable: boolean) => {
  for (const relay of relays) relay.setUnavailable(isUnavailable)
}

const countStopLines = ({ instances }: Fleet) =>
  instances
    .flatMap((instance) => instance.lines())
    .filter(({ msg }) => /^native route (?:stopped|rolled)/.test(msg)).length

const countNotStale = ({ instances }: Fleet, from: number, to: number) =>
  instances
    .flatMap((instance) => instance.lines())
    .filter((line) => line.msg === 'request' && findArrival(line) > from && line.time < to)
    .filter(({ reason }) => reason !== 'stale' && reason !== 'breaker').length

/** Cuts five instances off from the database for some time, while each serves 40 requests per second. */
export const proveOutage = async ({ folder, seconds }: OutageOptions): Promise<OutageReport> => {
  const fleet = await openFleet({ folder, throughRelay: true })
  try {
    const accounts = await createAccounts(fleet, listAccountIds(40))
    const model = createRoutingModel(fleet.installationSalt)
    const random = createRandom(5)
    const changer = createChanger({ fleet, model, accounts, random })
    await changer.begin(5000)
    await changer.override('acct_0', 'native')
    await changer.override('acct_1', 'core')
    const load = startLoad(fleet, { accounts })
    await sleep(3000)

    const lostAt = Date.now()
    setUnavailable(fleet, true)
    await sleep((seconds * 1000) / 2)
    const epoch = await killDirectly(fleet)
    await sleep((seconds * 1000) / 2)
    const returnedAt = Date.now()
    setUnavailable(fleet, false)
    model.setKilled(epoch, 'packs.list', true)
    await sleep(observedMs)
    await load.stop()
    await sleep(logDelayMs)

    const [automatic] = await fleet.sql`select count(*)::int from route_audit where who = 'auto'`
    return {
      requests: checkRequests(fleet.instances, load.samples, model),
      notStale: countNotStale(fleet, lostAt + staleAfterMs, returnedAt),
      automaticChanges: Number(automatic?.count),
      stopLines: countStopLines(fleet),
      isStalled: overlaps(listStalls(fleet.instances, fleet), returnedAt, returnedAt + observedMs),
      adoptedAfterMs: fleet.instances.map((instance) => {
        const at = findAdoption(instance, epoch)
        return at === null ? null : at - returnedAt
      }),
    }
  } finally {
    await fleet.stop()
  }
}
