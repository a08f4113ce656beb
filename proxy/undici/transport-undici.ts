import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyProgressLimits, defaultBodyProgressLimits } from '../body-progress.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../circuit-breaker.ts'
import { parseCoreOrigin } from '../core-origin.ts'
import { coreRequestHeaders } from '../headers/header-rules.ts'
import { isForwardingLoop } from '../headers/via.ts'
import { type CoreFailure, type ForwardOutcome, isSafe, type UpstreamRequest } from '../upstream-request.ts'
import { createConnectionProbe } from './core-probe.ts'
import { createDeadlineMonitor } from './deadline-monitor.ts'
import { openLane } from './dispatch-lane.ts'
import { ForwardedRequest, type ForwardingEnvironment } from './forwarded-request.ts'

export interface UndiciTransportOptions {
  /** Scheme and authority of the core, without a path: `http://core:9000`. */
  readonly coreBaseUrl: string
  readonly viaPseudonym: string
  readonly timeoutMs?: number
  readonly connectTimeoutMs?: number
  /** How slowly a client may send a body that is streamed. */
  readonly bodyProgress?: BodyProgressLimits
  /** Connections for requests whose body is known; those that stream one have `uploadConnections` of their own. */
  readonly connections?: number
  readonly uploadConnections?: number
  readonly breaker?: CircuitBreaker
}

export interface UndiciTransport {
  /**
   * Sends a request on and writes the core's answer straight to the client. Where the outcome is `failed`, nothing
   * was written and the caller answers.
   */
  forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    exchange: UpstreamRequest,
  ): Promise<ForwardOutcome>
  /** Whether requests are sent to the core and it takes connections now. */
  isReachable(): Promise<boolean>
  /** Resolves when the running exchanges are over and every connection to the core is closed. */
  close(): Promise<void>
}

// Late by at most a twentieth of the deadline.
const granularityOf = (timeoutMs: number) => Math.min(250, Math.max(5, timeoutMs / 20))

const failed = (code: CoreFailure, retryAfterS?: number): Promise<ForwardOutcome> =>
  Promise.resolve(
    retryAfterS === undefined ? { kind: 'failed', code } : { kind: 'failed', code, retryAfterS },
  )

const withLengthOf = (incoming: IncomingMessage, headers: string[]) => {
  const length = incoming.headers['content-length']
  if (length !== undefined) headers.push('content-length', length)
  return headers
}

/** The way to the core on Node: undici's dispatch, written to the client's response without a stream in between. */
export const createUndiciTransport = (options: UndiciTransportOptions): UndiciTransport => {
  const timeoutMs = options.timeoutMs ?? 30_000
  const coreOrigin = parseCoreOrigin(options.coreBaseUrl)
  const breaker = options.breaker ?? createCircuitBreaker()
  const takesConnections = createConnectionProbe(coreOrigin)
  const leg: ForwardingEnvironment = {
    coreOrigin,
    breaker,
    watch: createDeadlineMonitor(granularityOf(timeoutMs)),
    timeoutMs,
    bodyProgress: options.bodyProgress ?? defaultBodyProgressLimits,
  }
  const shared = {
    connectTimeoutMs: Math.min(options.connectTimeoutMs ?? 3000, timeoutMs),
    maxHeaderBytes: 65_536,
  }
  const requests = openLane(coreOrigin, { ...shared, connections: options.connections ?? 256, queue: 4096 })
  const uploads = openLane(coreOrigin, {
    ...shared,
    connections: options.uploadConnections ?? 32,
    queue: 256,
  })

  const headersFor = (incoming: IncomingMessage, { method, client, requestId, body }: UpstreamRequest) => {
    const { rawHeaders, httpVersion } = incoming
    const hop = { method, client, requestId, httpVersion, viaPseudonym: options.viaPseudonym }
    const headers = coreRequestHeaders(rawHeaders, hop)
    return body === 'stream' ? withLengthOf(incoming, headers) : headers
  }

  return {
    forward(incoming, outgoing, exchange) {
      if (outgoing.destroyed) return Promise.resolve({ kind: 'client-gone' })
      if (isForwardingLoop(incoming.rawHeaders, options.viaPseudonym)) return failed('loop_detected')
      const retryAfterS = breaker.admit(isSafe(exchange.method))
      if (retryAfterS !== null) return failed('core_unavailable', retryAfterS)
      const headers = headersFor(incoming, exchange)
      const lane = exchange.body === 'stream' ? uploads : requests
      return new Promise((settle) => {
        const request = new ForwardedRequest(leg, lane, { incoming, outgoing, exchange, headers, settle })
        if (!lane.start(request)) request.refuse()
      })
    },
    isReachable: async () => breaker.state() !== 'open' && takesConnections(),
    async close() {
      await Promise.all([requests.close(), uploads.close()])
    },
  }
}
