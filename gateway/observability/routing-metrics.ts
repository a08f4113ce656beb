import type { Label } from '#contracts/route-table.ts'
import { fullWeightBp } from '#migration/routing/route-state.ts'
import type { RouteView, RoutingView } from '#migration/routing/routing-view.ts'
import { gaugeOf, type MetricFamily } from './metric-family.ts'

const readShare = (view: RouteView | undefined) => {
  if (view?.side === 'split') return view.weightBp / fullWeightBp
  return view?.side === 'native' ? 1 : 0
}

/** The routing state that this instance has adopted; `twoSided` are the routes that both sides can serve. */
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
    '1 while the routing state could not be read for five seconds or at all.',
    () => (current().isStale ? 1 : 0),
  ),
  {
    name: 'crossfade_routing_native_share',
    help: 'The share of the accounts or links of a route that native serves, from 0 to 1.',
    type: 'gauge',
    labels: ['route'],
    collect() {
      const { views } = current()
      return twoSided.map((route) => ({ labels: { route }, value: readShare(views.get(route)) }))
    },
  },
]
