import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CircuitBreaker, createCircuitBreaker } from '../circuit-breaker.ts'
import { CoreLoad } from '../core-load.ts'
import { type CoreRequest, type ForwardOutcome, parseCoreOrigin } from '../core-request.ts'
import type { ResponseTap } from '../core-response.ts'
import {
  type CoreAddress,
  isResolvable,
  lookupOf,
  nameOf,
  type ResolveHost,
  resolveHost,
  resolveOrigin,
} from './core-addresses.ts'
import { type AvoidanceCause, CoreEndpoint } from './core-endpoint.ts'
import type { LaneUsage } from './lane.ts'
import {
  createResponseTimes,
  createUndiciTransport,
  type TransportReadings,
  type UndiciTransport,
  type UndiciTransportOptions,
} from './transport-undici.ts'

export interface CorePoolOptions
  extends Omit<
    UndiciTransportOptions,
    'coreBaseUrl' | 'otherOrigins' | 'breaker' | 'load' | 'responseTimes' | 'failsOver'
  > {
  readonly coreBaseUrls: readonly string[]
  readonly createBreaker?: (endpoint: string) => CircuitBreaker
  readonly resolve?: ResolveHost
  readonly resolveIntervalMs?: number
  readonly checkIntervalMs?: number
  readonly onChanged?: (endpoints: readonly string[]) => void
  readonly onAvoided?: (endpoint: string, cause: AvoidanceCause | null) => void
}

interface EndpointReading {
  readonly name: string
  readonly isAvailable: boolean
  /** Requests in progress, not counting long streams. */
  readonly requests: number
  /** Clients' requests that failed while there were several endpoints. */
  readonly failed: number
}

export interface CorePool extends UndiciTransport {
  endpoints(): readonly EndpointReading[]
  resends(): number
}

const sum = (usages: readonly LaneUsage[]): LaneUsage => {
  const total = { open: 0, connecting: 0, waiting: 0, used: 0, capacity: 0 }
  for (const usage of usages) {
    total.open += usage.open
    total.connecting += usage.connecting
    total.waiting += usage.waiting
    total.used += usage.used
    total.capacity += usage.capacity
  }
  return total
}

/**
 * Forwards to the core endpoint with the fewest requests in progress. Each endpoint has its own transport, with
 * connections, breaker and hang monitor. A single endpoint gets every request directly.
 */
export const createCorePool = ({
  coreBaseUrls,
  createBreaker = () => createCircuitBreaker(),
  resolve = resolveHost,
  resolveIntervalMs = 10_000,
  checkIntervalMs = 1000,
  onChanged = () => {},
  onAvoided = () => {},
  ...shared
}: CorePoolOptions): CorePool => {
  const origins = coreBaseUrls.map(parseCoreOrigin)
  const load = new CoreLoad()
  const responseTimes = createResponseTimes()
  const closing = new Set<Promise<void>>()
  const found = new Map<string, readonly CoreAddress[]>(
    origins.map((origin) => [origin, [{ origin, address: null }]]),
  )
  let byName = new Map<string, CoreEndpoint>()
  let endpoints: readonly CoreEndpoint[] = []
  let next = 0
  let resends = 0
  let hangsOfRemoved = 0
  let isClosed = false

  const open = (target: CoreAddress): CoreEndpoint => {
    const name = nameOf(target)
    const connection = {
      ...shared.connection,
      ...(target.address === null ? {} : { lookup: lookupOf(target.address) }),
    }
    const breaker = createBreaker(name)
    const transport = createUndiciTransport({
      ...shared,
      coreBaseUrl: target.origin,
      otherOrigins: origins,
      connection,
      breaker,
      load,
      responseTimes,
      failsOver: () => endpoints.some((other) => other !== endpoint && other.rank === 0),
    })
    const probeUrl = target.origin + (shared.probePath ?? '/')
    const endpoint = new CoreEndpoint({ name, transport, breaker, probeUrl, connection, onAvoided })
    return endpoint
  }

  // A removed endpoint gets no new requests, and finishes those in progress.
  const retire = (endpoint: CoreEndpoint) => {
    hangsOfRemoved += endpoint.transport.readings().hangs
    const closed = endpoint.transport.close().finally(() => closing.delete(closed))
    closing.add(closed)
  }

  const update = () => {
    const targets = new Map([...found.values()].flat().map((target) => [nameOf(target), target]))
    const previous = byName
    byName = new Map([...targets].map(([name, target]) => [name, previous.get(name) ?? open(target)]))
    endpoints = [...byName.values()]
    if (endpoints.length === 1) endpoints[0]?.forget()
    const removed = [...previous].filter(([name]) => !byName.has(name))
    const isUnchanged = removed.length === 0 && byName.size === previous.size
    for (const [, endpoint] of removed) retire(endpoint)
    if (previous.size > 0 && !isUnchanged) onChanged([...byName.keys()])
  }
  update()

  const resolveAll = async () => {
    const resolvable = origins.filter(isResolvable)
    const results = await Promise.all(resolvable.map((origin) => resolveOrigin(origin, resolve)))
    if (isClosed) return
    for (const targets of results) if (targets?.[0]) found.set(targets[0].origin, targets)
    update()
  }

  const timers: NodeJS.Timeout[] = []
  if (origins.some(isResolvable)) {
    void resolveAll()
    timers.push(setInterval(resolveAll, resolveIntervalMs).unref())
  }
  if (origins.length > 1 || timers.length > 0) {
    const checkAll = () => {
      if (endpoints.length > 1) for (const endpoint of endpoints) void endpoint.check()
    }
    timers.push(setInterval(checkAll, checkIntervalMs).unref())
  }

  /** Equally good ones take turns. */
  const choose = (tried: readonly CoreEndpoint[] = []) => {
    let best: CoreEndpoint | undefined
    next += 1
    for (let index = 0; index < endpoints.length; index += 1) {
      const endpoint = endpoints[(next + index) % endpoints.length]
      if (!endpoint || tried.includes(endpoint)) continue
      const isBetter =
        !best ||
        endpoint.rank < best.rank ||
        (endpoint.rank === best.rank && endpoint.outstanding < best.outstanding)
      if (isBetter) best = endpoint
    }
    return best
  }

  const chooseAny = () => {
    const endpoint = choose()
    // Cannot happen, because an origin that resolves to nothing keeps its endpoints.
    if (!endpoint) throw new Error('the core has no endpoint')
    return endpoint
  }

  const forwardToOne = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    first: CoreRequest,
    tap?: ResponseTap,
  ): Promise<ForwardOutcome> => {
    const tried: CoreEndpoint[] = []
    let request = first
    let endpoint = chooseAny()
    for (;;) {
      const outcome = await endpoint.forward(incoming, outgoing, request, tap)
      if (outcome.kind !== 'failed' || outcome.resend === undefined) return outcome
      tried.push(endpoint)
      const other = choose(tried)
      if (!other || other.rank === 2) return outcome
      if (outcome.resend === 'repeatable') request = { ...request, retryable: false }
      resends += 1
      endpoint = other
    }
  }

  return {
    forward(incoming, outgoing, request, tap) {
      const [only] = endpoints
      return only && endpoints.length === 1
        ? only.transport.forward(incoming, outgoing, request, tap)
        : forwardToOne(incoming, outgoing, request, tap)
    },
    ask: (request) => chooseAny().transport.ask(request),
    mayAsk: () => chooseAny().transport.mayAsk(),
    async readCoreState() {
      const states = await Promise.all(endpoints.map(({ transport }) => transport.readCoreState()))
      if (states.includes('up')) return 'up'
      return states.includes('hanging') ? 'hanging' : 'down'
    },
    breakerState: () =>
      endpoints.some(({ transport }) => transport.breakerState() === 'closed') ? 'closed' : 'open',
    readings() {
      const all = endpoints.map(({ transport }) => transport.readings())
      const laneOf = (lane: keyof TransportReadings['lanes']) => sum(all.map(({ lanes }) => lanes[lane]))
      return {
        lanes: { requests: laneOf('requests'), uploads: laneOf('uploads'), asks: laneOf('asks') },
        responseTimes,
        isHanging: all.every(({ isHanging }) => isHanging),
        hangs: all.reduce((total, { hangs }) => total + hangs, hangsOfRemoved),
      }
    },
    endpoints: () =>
      endpoints.map(({ name, transport, rank, failed }) => {
        const { requests, uploads, asks } = transport.readings().lanes
        return { name, isAvailable: rank === 0, requests: requests.used + uploads.used + asks.used, failed }
      }),
    resends: () => resends,
    async close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      for (const endpoint of endpoints) retire(endpoint)
      await Promise.all(closing)
    },
  }
}
