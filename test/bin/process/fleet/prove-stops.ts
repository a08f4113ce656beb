import { setTimeout as sleep } from 'node:timers/promises'
import { bucketOf } from '#migration/model/bucket.ts'
import { areaOf } from '#migration/model/route-scope.ts'
import { createRandom } from '#test/support/random-choices.ts'
import { findAdoption } from './adoption.ts'
import { createChanger } from './change-routing.ts'
import type { Fault, Instance } from './instance.ts'
import type { LogLine } from './instance-log.ts'
import { createAccounts, startLoad } from './load.ts'
import { type Fleet, fleetSize, openFleet } from './open-fleet.ts'
import { logDelayMs } from './prove-changes.ts'
import { createRoutingModel } from './routing-model.ts'
import { listStalls, overlaps } from './stalls.ts'

const label = 'tracks.list'

interface StopOptions {
  readonly folder: string
  readonly fault: Fault
  readonly faulty: number
  readonly weightBp: number
  readonly timeoutMs: number
}

export interface StopReport {
  readonly cause: string
  readonly observer: string
  /** How many requests each instance tried to serve natively before it stopped trying. */
  readonly nativeRequests: readonly number[]
  /** Time from the first line that reports the stop until each instance had adopted the rollback. */
  readonly rolledBackAfterMs: readonly (number | null)[]
  /** Time from the first request tried natively until the first line that reports the stop. */
  readonly seconds: number
  /** Whether the database or an event loop stalled in the second after the stop was logged. */
  readonly isStalled: boolean
}

const listCandidates = function* () {
  for (let index = 0; ; index++) yield `acct_${index}`
}

/** Selects the first `count` accounts inside a canary of this weight, and the first `count` outside it. */
const selectAccountIds = (installationSalt: string, weightBp: number, count: number) => {
  const inside: string[] = []
  const outside: string[] = []
  for (const accountId of listCandidates()) {
    const bucket = bucketOf(installationSalt, areaOf(label), accountId)
    const group = bucket < weightBp ? inside : outside
    if (group.length < count) group.push(accountId)
    if (inside.length === count && outside.length === count) return [...inside, ...outside]
  }
  return []
}

const isTried = ({ msg, route, runtime, fallbackReason, reason }: LogLine) =>
  msg === 'request' &&
  route === label &&
  reason !== 'breaker' &&
  (runtime === 'native' || fallbackReason !== undefined)

const waitForStop = async (fleet: Fleet, timeoutMs: number) => {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    const [row] = await fleet.sql`select epoch from route_audit where who = 'auto' and action = 'rollback'`
    if (row) return Number(row.epoch)
    await sleep(100)
  }
  throw new Error(`no instance stopped ${label} within ${timeoutMs} ms`)
}

// Native is slow only in comparison with the core, so each instance first needs 200 of the core's durations.
const serveFromCore = async (fleet: Fleet) => {
  const isKnown = (instance: Instance) =>
    instance.lines().filter((line) => line.route === label && line.runtime === 'proxy').length > 300
  while (!fleet.instances.every(isKnown)) await sleep(200)
}

export const proveStop = async (options: StopOptions): Promise<StopReport> => {
  const { folder, fault, faulty, weightBp, timeoutMs } = options
  const faultOf = (index: number) => (index >= fleetSize - faulty ? fault : undefined)
  const fleet = await openFleet({ folder, faultOf })
  try {
    const accounts = await createAccounts(fleet, selectAccountIds(fleet.installationSalt, weightBp, 20))
    const model = createRoutingModel(fleet.installationSalt)
    const changer = createChanger({ fleet, model, accounts, random: createRandom(9) })
    // The other route is native from the start, so the database connections are already open when the canary begins.
    const load = startLoad(fleet, { accounts, routes: [label, label, 'libraries.list'] })
    await serveFromCore(fleet)
    await changer.begin(weightBp)
    const epoch = await waitForStop(fleet, timeoutMs)
    await sleep(2000)
    await load.stop()
    await sleep(logDelayMs)

    const lines = fleet.instances.flatMap((instance) => instance.lines())
    const tried = lines.filter(isTried).map(({ time, durationMs }) => time - durationMs)
    const [stop] = lines
      .filter(({ msg }) => msg === 'native route stopped')
      .toSorted((left, right) => left.time - right.time)
    if (!stop) throw new Error('no instance logged the stop')
    return {
      cause: stop.cause ?? '',
      observer: stop.observer ?? '',
      nativeRequests: fleet.instances.map((instance) => instance.lines().filter(isTried).length),
      isStalled: overlaps(listStalls(fleet.instances, fleet), stop.time, stop.time + 1000),
      rolledBackAfterMs: fleet.instances.map((instance) => {
        const at = findAdoption(instance, epoch)
        return at === null ? null : at - stop.time
      }),
      seconds: (stop.time - tried.reduce((first, at) => Math.min(first, at), stop.time)) / 1000,
    }
  } finally {
    await fleet.stop()
  }
}
