/**
 * Why the core has served a request:
 * - `state`: the state of the route, or the path has no row, or the instance cannot serve the route natively.
 * - `bucket`: the account or link does not belong to the percentage that native serves.
 * - `override`: an override of the account.
 * - `killed`: the route is killed.
 * - `stale`: by a routing state that could not be read for five seconds, or was never read.
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
