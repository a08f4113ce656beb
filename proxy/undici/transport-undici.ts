import type { IncomingMessage, ServerResponse } from 'node:http'
import { BucketHistogram } from '#shared/histogram.ts'
import { type BodyProgressLimits, defaultBodyProgressLimits } from '../body-progress.ts'
import { type BreakerState, type CircuitBreaker, type CoreState, coreStateOf } from '../circuit-breaker.ts'
import type { CoreLoad } from '../core-load.ts'
import {
  type CoreFailure,
  type CoreRequest,
  type ForwardOutcome,
  isSafe,
  parseCoreOrigin,
} from '../core-request.ts'
import type { AskOutcome, AskRequest, ResponseTap } from '../core-response.ts'
import { FairShares } from '../fair-shares.ts'
import { coreRequestHeaders, isForwardingLoop } from '../headers/header-rules.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'
import { createAskLane } from './ask-lane.ts'
import { createConnectionProbe, createResponseProbe } from './core-probe.ts'
import { createDeadlineMonitor, type DeadlineMonitor } from './deadline-monitor.ts'
import { ForwardedRequest } from './forwarded-request.ts'
import { countUpTo, HangMonitor, type HangTiming, usualMinWaiting } from './hang-monitor.ts'
import { createLane, type LaneUsage } from './lane.ts'

export interface UndiciTransportOptions {
  /** Scheme and authority of the core, without a path: `http://core:9000`. */
  readonly coreBaseUrl: string
  /** Schemes and authorities of the core's other endpoints, to which it may also redirect. */
  readonly otherOrigins?: readonly string[]
  readonly viaPseudonym: string
  /** The base URL clients use, without a trailing slash. Without it, redirects to the core become relative. */
  readonly publicBaseUrl?: string | null
  /** Limits the wait for the response's start, and each pause in the response. */
  readonly timeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly bodyProgress?: BodyProgressLimits
  /** Connections for requests whose body was already read. Streamed bodies use `uploadConnections`. */
  readonly connections?: number
  readonly uploadConnections?: number
  /** Additional connections for long streams. */
  readonly extraConnections?: number
  /** How long a response is streamed before it moves from its slot to an extra connection. */
  readonly longStreamAfterMs?: number
  /** How long a request may wait for a connection; at most `timeoutMs`. */
  readonly queueTimeoutMs?: number
  /** Called when one client holds nearly all connections in use and is refused more. */
  readonly onDominantClient?: () => void
  readonly breaker: CircuitBreaker
  readonly load: CoreLoad
  /** Path of the requests that check whether the core responds. Defaults to `/`. */
  readonly probePath?: string
  readonly hangTiming?: Partial<HangTiming>
  readonly connection?: ConnectionSettings
  readonly responseTimes: BucketHistogram
  /** Whether another endpoint can serve a request that this one fails. */
  readonly failsOver?: () => boolean
}

const defaultOptions = {
  otherOrigins: [],
  publicBaseUrl: null,
  timeoutMs: 30_000,
  connectTimeoutMs: 3000,
  bodyProgress: defaultBodyProgressLimits,
  connections: 256,
  uploadConnections: 32,
  extraConnections: 256,
  longStreamAfterMs: 5000,
  queueTimeoutMs: 3000,
  onDominantClient: () => {},
  probePath: '/',
  hangTiming: {},
  connection: {},
  failsOver: () => false,
}

export interface ForwardingEnvironment extends Required<UndiciTransportOptions> {
  /** Schemes and authorities of the core, in lower case. The first is this endpoint's. */
  readonly coreOrigins: readonly [string, ...string[]]
  readonly deadlines: DeadlineMonitor<ForwardedRequest>
  readonly hangs: HangMonitor
}

export interface TransportReadings {
  readonly lanes: Readonly<Record<'requests' | 'uploads' | 'asks', LaneUsage>>
  /** Seconds from sending a client's request to the response head. Requests with a streamed body are left out. */
  readonly responseTimes: BucketHistogram
  readonly isHanging: boolean
  readonly hangs: number
}

export interface UndiciTransport {
  /** If the outcome is `failed`, nothing was written, and the caller sends the error. */
  forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    coreRequest: CoreRequest,
    tap?: ResponseTap,
  ): Promise<ForwardOutcome>
  /**
   * Sends a GET to the core once, on one of four separate connections, but only while the circuit breaker is closed.
   * The outcome counts towards the core's load, but does not affect the breaker.
   */
  ask(request: AskRequest): Promise<AskOutcome>
  /** Whether the core can take the gateway's own requests: it is reachable and not slow. */
  mayAsk(): boolean
  /** Returns `up` if the circuit breaker lets requests through and the core accepts a connection now. */
  readCoreState(): Promise<CoreState>
  breakerState(): BreakerState
  readings(): TransportReadings
  /** Aborts the gateway's own requests. Resolves once all others have ended and every connection is closed. */
  close(): Promise<void>
}

// upper bounds in seconds
const responseBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const createResponseTimes = () => new BucketHistogram(responseBounds)

// A request may time out late, by up to a twentieth of its timeout (at least 5 ms).
const sweepIntervalMs = (timeoutMs: number) => Math.min(250, Math.max(5, timeoutMs / 20))

const failed = (code: CoreFailure, retryAfterS?: number): Promise<ForwardOutcome> =>
  Promise.resolve(
    retryAfterS === undefined ? { kind: 'failed', code } : { kind: 'failed', code, retryAfterS },
  )

/** undici dispatches, and the response is written to the client with no stream in between. */
export const createUndiciTransport = (given: UndiciTransportOptions): UndiciTransport => {
  const options = { ...defaultOptions, ...given }
  const { viaPseudonym, timeoutMs, breaker, load, connection, failsOver, onDominantClient } = options
  const coreOrigin = parseCoreOrigin(options.coreBaseUrl)
  const acceptsConnections = createConnectionProbe(coreOrigin, connection)
  const probe = createResponseProbe(coreOrigin + options.probePath, connection, timeoutMs)
  const stopProbes = breaker.probeInBackground(probe)
  let hangCount = 0
  const abandonWaiting = () => {
    hangCount += 1
    breaker.recordHang()
    // Queued requests are abandoned first. Otherwise each freed slot would go to the next request in the queue.
    const waiting = [...deadlines.requests].sort(
      (a, b) => Number(a.queueEntry === null) - Number(b.queueEntry === null),
    )
    // If fewer than `usualMinWaiting` are waiting, all may be slow writes on a single-threaded core. Then only requests
    // that another endpoint can take are abandoned; the others keep their usual timeout.
    const isOfMany = !failsOver() || countUpTo(usualMinWaiting, waiting) === usualMinWaiting
    for (const request of waiting) if (isOfMany || request.resend) request.abandon()
    asks.abandon()
  }
  const deadlines = createDeadlineMonitor<ForwardedRequest>(sweepIntervalMs(timeoutMs), (now) =>
    hangs.check(now),
  )
  const hangs = new HangMonitor({
    requests: () => deadlines.requests,
    usualP99Ms: () => load.usualP99Ms(),
    probe,
    onHang: abandonWaiting,
    // If another endpoint can take over, it costs little to suspect one that is merely slow.
    minWaiting: () => (failsOver() ? 1 : usualMinWaiting),
    timing: options.hangTiming,
  })
  const environment: ForwardingEnvironment = {
    ...options,
    queueTimeoutMs: Math.min(options.queueTimeoutMs, timeoutMs),
    coreOrigins: [coreOrigin, ...options.otherOrigins],
    deadlines,
    hangs,
  }
  const connectTimeoutMs = Math.min(options.connectTimeoutMs, timeoutMs)
  const extraConnections = new FairShares(options.extraConnections)
  const shared = { connectTimeoutMs, connection, extraConnections, onDominantClient }
  const requests = createLane(coreOrigin, { ...shared, connections: options.connections, queue: 4096 })
  const uploads = createLane(coreOrigin, { ...shared, connections: options.uploadConnections, queue: 256 })
  const asks = createAskLane(coreOrigin, {
    connectTimeoutMs,
    connection,
    breakerState: () => breaker.state(),
    load,
    onHead(receivedAt) {
      hangs.lastHeadAt = receivedAt
    },
  })

  return {
    forward(incoming, outgoing, coreRequest, tap) {
      if (outgoing.destroyed) return Promise.resolve({ kind: 'client-gone' })
      if (isForwardingLoop(incoming.rawHeaders, viaPseudonym)) return failed('loop_detected')
      const retryAfterS = breaker.admit(isSafe(coreRequest.method))
      if (retryAfterS !== null) return failed('core_unavailable', retryAfterS)
      const lane = coreRequest.body === 'stream' ? uploads : requests
      return new Promise((resolve) => {
        const call = { incoming, outgoing, coreRequest, tap, resolve }
        new ForwardedRequest(environment, lane, call).start()
      })
    },
    async ask(request) {
      const { headers: received, client, requestId, httpVersion, isShadow } = request
      if (isForwardingLoop(received, viaPseudonym)) return { kind: 'dropped', reason: 'loop' }
      // Not part of the client's trace, because the client did not send it.
      const sent = { method: 'GET', client, requestId, trace: null }
      const headers = coreRequestHeaders(received, sent, { httpVersion, viaPseudonym })
      if (isShadow) headers.push('x-service-shadow', '1')
      return asks.ask(request, headers)
    },
    mayAsk: () => breaker.state() === 'closed' && !load.read().isSlow,
    async readCoreState() {
      const state = coreStateOf(breaker)
      return state !== 'up' || (await acceptsConnections()) ? state : 'down'
    },
    breakerState: () => breaker.state(),
    readings: () => ({
      lanes: { requests: requests.usage(), uploads: uploads.usage(), asks: asks.usage() },
      responseTimes: options.responseTimes,
      isHanging: breaker.openCause() === 'hanging',
      hangs: hangCount,
    }),
    async close() {
      stopProbes()
      hangs.reset(performance.now())
      await Promise.all([requests.close(), uploads.close(), asks.close()])
    },
  }
}
