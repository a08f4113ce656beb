import type { Label } from '#contracts/route-table.ts'
import type { BreakerCounts, BreakerState, CircuitBreaker } from '#proxy/circuit-breaker.ts'
import type { RouteControl } from '../request/route-control.ts'
import type { Log } from './log.ts'
import type { MetricFamily } from './metric-family.ts'

/** Creates the function that logs a change of the breaker of the core, with the counts that caused it. */
export const createCoreBreakerLog =
  (log: Pick<Log, 'info' | 'warn'>) => (state: BreakerState, counts: BreakerCounts) => {
    const fields = { breaker: 'core', ...counts }
    if (state === 'open') log.warn(fields, 'circuit breaker opened')
    else if (state === 'half-open') log.info(fields, 'circuit breaker half-opened')
    else log.info(fields, 'circuit breaker closed')
  }

interface Breakers {
  /** Null if no core is configured: then native is never bypassed. */
  readonly coreBreaker: Pick<CircuitBreaker, 'state'> | null
  readonly control: Pick<RouteControl, 'mayTryNative'>
  /** The routes that both sides can serve. */
  readonly twoSided: readonly Label[]
}

/** The gauge of the breakers; a half-open breaker counts as open. */
export const createBreakerFamilies = ({
  coreBreaker,
  control,
  twoSided,
}: Breakers): readonly MetricFamily[] => {
  if (coreBreaker === null) return []
  const sample = (breaker: string, isOpen: boolean) => ({ labels: { breaker }, value: isOpen ? 1 : 0 })
  return [
    {
      name: 'crossfade_breaker_open',
      help: '1 while a breaker is open or half-open: that of the core, or of a native route.',
      type: 'gauge',
      labels: ['breaker'],
      collect: () => [
        sample('core', coreBreaker.state() !== 'closed'),
        ...twoSided.map((label) => sample(label, !control.mayTryNative(label))),
      ],
    },
  ]
}
