import type { RoutingReason } from '#migration/routing/routing-view.ts'

/**
 * Why a side serves a request:
 * - `static`: the state of the route, which is the same for all requests, or a fixed rule of the gateway. That includes
 *   paths without a row, pages and malformed requests.
 * - `split`: native serves a share of the subjects of the route.
 * - `targeting_match`: an override of the account.
 * - `disabled`: the route is killed.
 * - `stale`: what the state was when it could last be read; the core, if it was never read.
 * - `breaker`: the breaker of the route is open.
 */
export type Reason = RoutingReason | 'breaker'

/**
 * What prevented native from serving a request that the core serves instead:
 * - `database`: the database could not be reached, or has not been migrated.
 * - `authentication`: the keys that verify tokens could not be fetched.
 * - `timeout`: native had no result within its timeout.
 * - `not_ported`: the handler does not serve this request yet.
 * - `bug`: the handler of a read threw an unexpected error, or its result did not match the contract.
 * - `breaker`: nothing was tried, because the breaker of the route is open.
 */
export type FallbackReason = 'database' | 'authentication' | 'timeout' | 'not_ported' | 'bug' | 'breaker'
