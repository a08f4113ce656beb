import type { Label } from '#contracts/route-table.ts'
import type { ViewReason } from '#migration/model/routing-view.ts'
import type { NativeResult } from './route-control.ts'

/** Why a side serves a request. `docs/logs-and-metrics.md` describes each value. */
export type Reason = ViewReason | 'breaker'

/** Why the core serves a request instead of native. `docs/logs-and-metrics.md` describes each value. */
export type FallbackReason =
  | 'database'
  | 'authentication'
  | 'timeout'
  | 'not_ported'
  | 'bug'
  | 'breaker'
  | 'earlier_attempt'

/**
 * Why the gateway sent 401. Only the log gives the reason: in the response, it would help an attacker forge a token.
 * `docs/logs-and-metrics.md` describes each value.
 */
export type UnauthorizedReason =
  | 'token_missing'
  | 'malformed'
  | 'algorithm_not_allowed'
  | 'unknown_key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'token_not_yet_valid'
  | 'token_expired'
  | 'internal_token'

/** What the service headers, the log line and the metrics report about a request. */
export class RequestOutcome {
  label: Label | 'unmatched' = 'unmatched'
  /** For a page outside `/v1`: whether it is a health probe or any other page. Null for other requests. */
  page: 'probe' | 'page' | null = null
  /** `native`: the gateway responded, with a handler or its own error. `proxy`: the core responded, or failed to. */
  runtime: 'native' | 'proxy' = 'native'
  /** Why this side was chosen. A fallback does not change it. */
  reason: Reason = 'static'
  /** Epoch of the routing state behind the decision; 0 if there was no decision. */
  epoch = 0
  /** Set if the core serves the request instead of native. The fallback header reports it. */
  fallbackReason: FallbackReason | null = null
  status: number | undefined = undefined
  /** Error code of a response the gateway produced. */
  error: string | undefined = undefined
  unauthorizedReason: UnauthorizedReason | null = null
  /** How long the core took to send its response head; undefined if it sent none. Set by the transport. */
  coreMs: number | undefined = undefined
  /** Declared length of the request body; undefined if not declared. */
  bytesIn: number | undefined = undefined
  /** Body bytes written, as counted by the transport. */
  bytesOut: number | undefined = undefined
  /** Whether the response is the stored one of an earlier request with the same idempotency key. */
  isReplayed = false
  bodyMs = 0
  /**
   * Null if native was not tried, the client disconnected, the token could not be verified, or the core got an earlier
   * attempt.
   */
  nativeResult: NativeResult | null = null
  /**
   * How long native took, not counting the wait for the body. Null if native has no result, or if the result's cause
   * lies outside the route, such as an unreachable database.
   */
  nativeMs: number | null = null
}
