import type { Label } from '#contracts/route-table.ts'
import type { RoutingReason } from '#migration/model/routing-view.ts'
import type { NativeResult } from './route-control.ts'

/**
 * Why a side serves a request:
 * - `static`: the state of the route, which is the same for all requests, or a fixed rule of the gateway. That includes
 *   paths without a row, pages and malformed requests.
 * - `split`: native serves a percentage of the subjects of the route.
 * - `targeting_match`: an override of the account.
 * - `disabled`: the route is killed.
 * - `stale`: what the state was when it could last be read; the core, if it was never read.
 * - `breaker`: native is paused or stopped for the route.
 */
export type Reason = RoutingReason | 'breaker'

/**
 * What prevented native from serving a request that the core serves instead:
 * - `database`: the database could not be reached, or has not been migrated.
 * - `authentication`: the keys that verify tokens could not be fetched.
 * - `timeout`: native had no result within its timeout.
 * - `not_ported`: the handler does not serve this request yet.
 * - `bug`: the handler of a read threw an unexpected error, or its result did not match the contract.
 * - `breaker`: nothing was tried, because native is paused or stopped for the route.
 * - `earlier_attempt`: nothing was tried, because the core got an earlier request with the same idempotency key.
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
 * Why a request got 401 from the gateway. The log names it; the response does not, because it would help whoever forges
 * a token.
 * - `token_missing`: the request has no `Authorization`.
 * - `malformed`: `Authorization` has no bearer token, or the token is no JWT with the required claims.
 * - `algorithm_not_allowed`: the token is signed with an algorithm that is not accepted, or with none.
 * - `unknown_key`: the issuer publishes no key with this `kid` that fits the algorithm.
 * - `signature`: the signature does not match the published key.
 * - `issuer`, `audience`: the token is from another issuer, or for another service.
 * - `token_not_yet_valid`, `token_expired`: by `nbf` or `exp`, beyond the clock tolerance.
 * - `internal_token`: an internal route or page, and not the internal token, or none is set.
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
  /** What the gateway serves outside of `/v1`: a check of its health, or another page. Null for other requests. */
  page: 'probe' | 'page' | null
  /** `native`: the gateway responded, with a handler or an error of its own. `proxy`: the core did, or could not. */
  runtime: 'native' | 'proxy'
  /** Why this side was chosen. A fallback does not change it. */
  reason: Reason
  /** The epoch of the routing state that the request was decided from; 0 if it was not decided from any. */
  epoch: number
  /** Null unless the core serves the request instead of native, which the fallback header reports. */
  fallbackReason: FallbackReason | null
  /** Undefined until the head of the response is written. */
  status: number | undefined
  /** The error code of a response that the gateway produced. */
  error: string | undefined
  /** Why the gateway sent 401; null for all other responses. */
  unauthorizedReason: UnauthorizedReason | null
  /** How long the core took until the head of its response; undefined if there was none. The transport writes it. */
  coreMs: number | undefined
  /** Bytes of the body of the request, as it declares them; undefined if it does not. */
  bytesIn: number | undefined
  /** Bytes of the body of the response that were written, which the transport counts; undefined if nothing did. */
  bytesOut: number | undefined
  /** Whether the response is the stored one of an earlier request. */
  isReplayed: boolean
  /** How long native waited for the body of the request. */
  bodyMs: number
  /** Null if native was not tried, its client disconnected, or its token could not be verified. */
  nativeResult: NativeResult | null
  /**
   * How long native took without the body. Null if it has no result, or one that a route cannot cause: a database that
   * could not be reached.
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
