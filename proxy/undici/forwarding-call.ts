import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BucketHistogram } from '#shared/histogram.ts'
import type { BodyProgressLimits } from '../body-progress.ts'
import type { CircuitBreaker } from '../circuit-breaker.ts'
import type { CoreLoad } from '../core-load.ts'
import type { ResponseTap } from '../core-response.ts'
import type { ForwardOutcome, UpstreamRequest } from '../upstream-request.ts'
import type { DeadlineMonitor } from './deadline-monitor.ts'
import type { ForwardedRequest } from './forwarded-request.ts'
import type { HangMonitor } from './hang-monitor.ts'

/** What all requests of one transport share. */
export interface ForwardingEnvironment {
  readonly coreOrigin: string
  /** The base URL that clients use, without a slash at its end; null if it is not configured. */
  readonly publicBaseUrl: string | null
  /** The headers of a request to the core. */
  createHeaders(incoming: IncomingMessage, upstreamRequest: UpstreamRequest): string[]
  readonly breaker: CircuitBreaker
  readonly load: CoreLoad
  /** Seconds until the head of a response, of requests that are not uploads. */
  readonly responseTimes: BucketHistogram
  readonly deadlines: DeadlineMonitor<ForwardedRequest>
  readonly hangs: HangMonitor
  /** Until the core has begun to respond, and for each pause inside its response. */
  readonly timeoutMs: number
  /** How long a request may wait for a slot in its lane. */
  readonly queueTimeoutMs: number
  /** How long a response is streamed before it leaves its slot. */
  readonly longStreamAfterMs: number
  /** How slowly a client may send a body that is streamed. */
  readonly bodyProgress: BodyProgressLimits
}

/** One call of the transport. */
export interface ForwardingCall {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly upstreamRequest: UpstreamRequest
  readonly tap: ResponseTap | undefined
  readonly resolve: (outcome: ForwardOutcome) => void
}
