import type { Label } from '#contracts/route-table.ts'
import type { RouteBreaker } from './route-breaker.ts'

/** Learns how requests went, and stops native where it serves a route worse than the core. */
export interface NativeStops {
  /** Whether native must not be tried: the core serves the route until its state has changed. */
  isStopped(label: Label): boolean
  listStopped(): readonly Label[]
  /**
   * Records a request that native was tried for. `hasCoreFailed` is whether the core then served it and failed as well;
   * `durationMs` does not include the time that the client took to send its body. `epoch` is that of the decision: a
   * request that was decided before the state of the route changed says nothing about the new one.
   */
  recordNative(label: Label, failed: boolean, hasCoreFailed: boolean, durationMs: number, epoch: number): void
  /** Records a request that only the core was tried for. */
  recordCore(label: Label, failed: boolean, durationMs: number, epoch: number): void
}

/** The routes that native is not tried for now, for either reason. */
export const combineBreakers = (
  stops: NativeStops,
  routeBreaker: RouteBreaker,
): Pick<RouteBreaker, 'isOpen' | 'listOpen'> => ({
  isOpen: (label) => stops.isStopped(label) || routeBreaker.isOpen(label),
  listOpen: () => [...new Set([...stops.listStopped(), ...routeBreaker.listOpen()])],
})
