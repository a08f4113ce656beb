import type { Label } from '#contracts/route-table.ts'
import { createBreakerLog } from '../observability/breakers.ts'
import { createRouteBreaker } from '../request/route-breaker.ts'
import type { RouteControl } from '../request/route-control.ts'
import { createStopMonitor, type StopMonitor, type StopMonitorOptions } from './stop-monitor.ts'

/** Protects the users of a route that native serves worse than the core: it pauses the route, or stops it. */
export interface NativeGuard
  extends Pick<StopMonitor, 'adoptSteps' | 'adoptBaselines' | 'stop' | 'takeDeltas' | 'isStopped' | 'close'>,
    Pick<RouteControl, 'settled' | 'mayTryNative' | 'paused'> {
  /** Whether too many of the last requests fell back, so that the core serves the route for ten seconds. */
  isPaused(label: Label): boolean
}

export const createNativeGuard = (options: StopMonitorOptions): NativeGuard => {
  const breaker = createRouteBreaker({ onChange: createBreakerLog(options.log) })
  const stops = createStopMonitor(options)
  return {
    ...stops,
    isPaused: breaker.isOpen,
    mayTryNative: (label) => !stops.isStopped(label) && !breaker.isOpen(label),
    paused: () => [...new Set([...stops.listStopped(), ...breaker.listOpen()])],
    settled(result) {
      const { label, epoch, durationMs } = result
      if (result.side === 'core') {
        const { failed, nativeMs } = result
        if (nativeMs === null) stops.recordCore(label, failed, result.durationMs, epoch)
        else stops.recordNative(label, true, failed, nativeMs, epoch)
        return
      }
      const fellBack = result.result === 'fell-back'
      breaker.record(label, fellBack)
      // Whether the core fails as well is known when it has served the request.
      if (!fellBack && durationMs !== null)
        stops.recordNative(label, result.result === 'failed', false, durationMs, epoch)
    },
  }
}
