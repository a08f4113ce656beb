import type { Label } from '#contracts/route-table.ts'
import type { ViewReason } from '#migration/model/routing-view.ts'
import type { NativeResult } from './route-control.ts'

/**
 * Why a side serves a request:
 * - `static`: the route's state, which is the same for all requests, or a fixed rule of the gateway, as for paths
 *   without a row, pages and malformed requests.
 * - `split`: native serves a percentage of the route's subjects.
 * - `targeting_match`: an override for the account.
 * - `disabled`: the route is killed.
 * - `stale`: the routing state could not be read, so the last known state applies, or the core serves if there is none.
 * - `breaker`: native is paused or stopped for the route.
 */
export type Reason = ViewReason | 'breaker'

/**
 * Why the core serves a request instead of native:
 * - `database`: the database was unreachable, or has not been migrated.
 * - `authentication`: the keys that verify tokens could not be fetched.
 * - `timeout`: native had no result in time.
 * - `not_ported`: the handler does not serve this request yet.
 * - `bug`: a read's handler threw an unexpected error, or its result did not match the contract.
 * - `breaker`: native was not tried, because it is paused or stopped for the route.
 * - `earlier_attempt`: native was not tried, because the core got an earlier request with the same idempotency key.
 */
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
 * - `token_missing`: there is no `Authorization`.
 * - `malformed`: `Authorization` has no bearer token, or the token is not a JWT with the required claims.
 * - `algorithm_not_allowed`: the token is signed with a forbidden algorithm, or not signed.
 * - `unknown_key`: the issuer publishes no key with this `kid` that fits the algorithm.
 * - `signature`: the signature does not match the published key.
 * - `issuer`, `audience`: the token is from another issuer, or for another service.
 * - `token_not_yet_valid`, `token_expired`: according to `nbf` or `exp`, even with the clock tolerance.
 * - `internal_token`: the token is not the one for internal routes and pages, or none is configured.
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
export interface RequestOutcome {
  label: Label | 'unmatched'
  /** For a page outside `/v1`: whether it is a health probe or any other page. Null for other requests. */
  page: 'probe' | 'page' | null
  /** `native`: the gateway responded, with a handler or its own error. `proxy`: the core responded, or failed to. */
  runtime: 'native' | 'proxy'
  /** Why this side was chosen. A fallback does not change it. */
  reason: Reason
  /** Epoch of the routing state behind the decision; 0 if there was no decision. */
  epoch: number
  /** Set if the core serves the request instead of native. The fallback header reports it. */
  fallbackReason: FallbackReason | null
  status: number | undefined
  /** Error code of a response the gateway produced. */
  error: string | undefined
  unauthorizedReason: UnauthorizedReason | null
  /** How long the core took to send its response head; undefined if it sent none. Set by the transport. */
  coreMs: number | undefined
  /** Declared length of the request body; undefined if not declared. */
  bytesIn: number | undefined
  /** Body bytes written, as counted by the transport. */
  bytesOut: number | undefined
  /** Whether the response is the stored one of an earlier request with the same idempotency key. */
  isReplayed: boolean
  bodyMs: number
  /**
   * Null if native was not tried, the client disconnected, the token could not be verified, or the core got an earlier
   * attempt.
   */
  nativeResult: NativeResult | null
  /**
   * How long native took, not counting the wait for the body. Null if native has no result, or if the result's cause
   * lies outside the route, such as an unreachable database.
   */
  nativeMs: number | null
}

export const createInitialOutcome = (): RequestOutcome => ({
  label: 'unmatched',
  page: null,
  runtime: 'native',
  reason: 'static',
  epoch: 0,
  fallbackReason: null,
  status: undefined,
  error: undefined,
  unauthorizedReason: null,
  coreMs: undefined,
  bytesIn: undefined,
  bytesOut: undefined,
  isReplayed: false,
  bodyMs: 0,
  nativeResult: null,
  nativeMs: null,
})
