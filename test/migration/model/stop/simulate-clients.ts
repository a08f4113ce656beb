import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import { noFleetObservations, observeFleet } from '#migration/model/stop/fleet-stop.ts'
import { createRequestTally } from '#migration/model/stop/request-counts.ts'
import { RouteMonitor } from '#migration/model/stop/route-monitor.ts'
import { FleetState } from '#migration/model/stop/stored-observations.ts'
import { createRandom } from '#test/support/random.ts'
import { canary, full, usualMs } from './simulate.ts'

const label = 'libraries.create'

/** A client's relative share of the traffic, and the share of its requests that the core rejects with 404. */
export interface SimulatedClient {
  readonly activity: number
  readonly rejected: number
}

interface ClientsOptions {
  readonly clients: readonly SimulatedClient[]
  readonly native: number
  readonly perSecond: number
  readonly instances?: number
  /** How many seconds the core serves all clients before the step. */
  readonly known?: number
  readonly seconds: number
  /** Changes native's status, which otherwise equals the core's. */
  readonly fault?: (status: number, client: number, random: () => number) => number
  /** After the step, changes the status on both sides, as if the clients had changed their behaviour. */
  readonly change?: (status: number, client: number) => number
}

/** Returns the number of seconds after which the fleet stops native; infinity if it does not. */
export const runClients = (
  seed: number,
  {
    clients,
    native,
    perSecond,
    instances = 2,
    known = 3600,
    seconds,
    fault = (status) => status,
    change = (status) => status,
  }: ClientsOptions,
) => {
  const random = createRandom(seed)
  const clock = { now: 0 }
  const step = native === 1 ? full : canary
  const options = { now: () => clock.now, health: unmeasuredDatabase }
  const monitors = Array.from(
    { length: instances },
    () => new RouteMonitor({ ...canary, nativeTraffic: 'none' }, createRequestTally(), options),
  )
  // Whether native serves a client does not depend on how busy the client is.
  const isNative = clients.map(() => random() < native)
  const sums: number[] = []
  for (const { activity } of clients) sums.push((sums.at(-1) ?? 0) + activity)
  const draw = () => {
    const at = random() * (sums.at(-1) ?? 0)
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < at) low = middle + 1
      else high = middle
    }
    return low
  }
  const send = (hasMoved: boolean) => {
    clock.now += (-Math.log(1 - random()) * 1000) / perSecond
    const client = draw()
    const usual = random() < (clients[client]?.rejected ?? 0) ? 404 : 200
    const side = hasMoved && isNative[client] ? 'native' : 'core'
    const expected = hasMoved ? change(usual, client) : usual
    const status = side === 'native' ? fault(expected, client, random) : expected
    const monitor = monitors[Math.floor(random() * instances)]
    if (side === 'core') monitor?.recordCore(false, usualMs, 1)
    else monitor?.recordNative(false, false, usualMs, 1)
    monitor?.countVote({ side, status, voter: client, epoch: 1 })
  }
  while (clock.now < known * 1000) send(false)
  for (const monitor of monitors) monitor.beginStep(step)
  const movedAt = clock.now
  let observed = noFleetObservations()
  let reportAt = clock.now + 5000
  while (clock.now < movedAt + seconds * 1000) {
    send(true)
    if (clock.now < reportAt) continue
    reportAt = clock.now + 5000
    const reports = monitors.flatMap((monitor) => {
      const delta = monitor.takeDelta('key')
      return delta === null ? [] : [delta]
    })
    const evaluated = observeFleet(observed, new Map([[label, reports] as const]), 1, clock.now)
    // Converts the state to JSON and back, as storing it does.
    const stored = [...evaluated.routes].map(
      ([route, state]) => [route, FleetState.parse(JSON.parse(JSON.stringify(state)))] as const,
    )
    observed = { ...evaluated, routes: new Map(stored) }
    if (evaluated.alarms.some(({ cause }) => cause === 'rejections')) return (clock.now - movedAt) / 1000
  }
  return Number.POSITIVE_INFINITY
}

/** Runs the simulation once for each of `runs` seeds. Returns the seconds until each stop, in ascending order. */
export const simulateClients = (runs: number, options: ClientsOptions) =>
  Array.from({ length: runs }, (_, seed) => runClients(seed + 1, options)).sort((a, b) => a - b)

/**
 * Creates clients with equal activity, or activity that follows Zipf's law. For the fraction `stubborn` of the clients,
 * the core rejects every request; for the others, it rejects the fraction `rejected` of their requests.
 */
export const createClients = (
  count: number,
  { isUneven = false, stubborn = 0, rejected = 0.01 } = {},
): SimulatedClient[] =>
  Array.from({ length: count }, (_, index) => ({
    activity: isUneven ? 1 / (index + 1) : 1,
    // The stubborn clients are spread over busy and quiet ones.
    rejected: stubborn > 0 && index % Math.round(1 / stubborn) === 3 ? 1 : rejected,
  }))
