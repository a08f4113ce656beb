/**
 * Why the core served a request:
 * - `state`: the route's state, a path outside the route table, or an instance that cannot serve the route natively.
 * - `bucket`: the account or link is outside native's percentage.
 * - `override`: an override for the account.
 * - `killed`: the route is killed.
 * - `stale`: the routing state could not be read for five seconds, or was never read.
 * - `breaker`: native was not tried, because it is paused or stopped for the route.
 * - `fallback`: native was tried and could not serve it.
 * - `shadow`: the gateway itself asked the core, to compare responses.
 */
export const coreCauses = [
  'state',
  'bucket',
  'override',
  'killed',
  'stale',
  'breaker',
  'fallback',
  'shadow',
] as const
export type CoreCause = (typeof coreCauses)[number]
