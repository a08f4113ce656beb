import type { Label } from '#contracts/route-table.ts'
import { fullWeightBp } from '#migration/model/route-state.ts'
import type { RouteView, RoutingView } from '#migration/model/routing-view.ts'
import type { CircuitBreaker } from '#proxy/circuit-breaker.ts'
import type { RouteControl } from '../request/route-control.ts'
import { gaugeOf, type LabelValues, type MetricFamily } from './metric-family.ts'

const readShare = (view: RouteView | undefined) => {
  if (view?.side === 'split') return view.weightBp / fullWeightBp
  return view?.side === 'native' ? 1 : 0
}

export const createRoutingFamilies = (
  current: () => RoutingView,
  twoSided: readonly Label[],
): readonly MetricFamily[] => [
  gaugeOf(
    'crossfade_routing_epoch',
    'The epoch of the routing state that this instance has adopted.',
    () => current().epoch,
  ),
  gaugeOf(
    'crossfade_routing_stale',
    '1 while the routing state has not been read for five seconds, or has never been read.',
    () => (current().isStale ? 1 : 0),
  ),
  {
    name: 'crossfade_routing_native_share',
    help: "The share of a route's accounts or links that native serves, from 0 to 1.",
    type: 'gauge',
    labels: ['route'],
    collect() {
      const { views } = current()
      return twoSided.map((route) => ({ labels: { route }, value: readShare(views.get(route)) }))
    },
  },
]

interface Breakers {
  /** Null if there is no core. Native is then never bypassed. */
  readonly coreBreaker: Pick<CircuitBreaker, 'state'> | null
  readonly control: Pick<RouteControl, 'mayTryNative'>
  readonly twoSided: readonly Label[]
}

/** Half-open counts as open. */
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
      help: '1 while the breaker of the core or of a native route is open or half-open.',
      type: 'gauge',
      labels: ['breaker'],
      collect: () => [
        sample('core', coreBreaker.state() !== 'closed'),
        ...twoSided.map((label) => sample(label, !control.mayTryNative(label))),
      ],
    },
  ]
}

const createEventCounter = (name: string, help: string, labels: readonly string[]) => {
  const samples = new Map<string, { readonly labels: LabelValues; value: number }>()
  const family: MetricFamily = { name, help, type: 'counter', labels, collect: () => [...samples.values()] }
  return {
    family,
    count(values: LabelValues) {
      const id = labels.map((label) => values[label]).join(' ')
      const sample = samples.get(id) ?? { labels: values, value: 0 }
      sample.value += 1
      samples.set(id, sample)
    },
  }
}

type ComparisonResult = 'equal' | 'regression' | 'critical' | 'transient' | 'not_comparable' | 'dropped'

export const createNativeMetrics = () => {
  const comparisons = createEventCounter(
    'crossfade_comparisons_total',
    'Live comparisons of native with the core that this instance has made or dropped.',
    ['route', 'result'],
  )
  const stops = createEventCounter(
    'crossfade_automatic_stops_total',
    'How often this instance stopped a native route because native did worse than the core.',
    ['route', 'cause', 'observer'],
  )
  const promotions = createEventCounter(
    'crossfade_promotions_total',
    'Steps that this instance has taken because the gate permitted them.',
    ['route'],
  )
  return {
    countComparison: (route: Label, result: ComparisonResult) => comparisons.count({ route, result }),
    countStop: (route: Label, cause: string, observer: string) => stops.count({ route, cause, observer }),
    countPromotion: (route: Label) => promotions.count({ route }),
    families: [comparisons.family, stops.family, promotions.family],
  }
}

export type NativeMetrics = ReturnType<typeof createNativeMetrics>
