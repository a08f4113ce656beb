import type { RoutingView } from '#migration/routing/routing-view.ts'

/** Formats the gauges of the routing state in the text format of Prometheus. */
export const formatRoutingMetrics = ({ epoch, isStale }: RoutingView): string =>
  [
    '# HELP crossfade_routing_epoch The epoch of the routing state that this instance has adopted.',
    '# TYPE crossfade_routing_epoch gauge',
    `crossfade_routing_epoch ${epoch}`,
    '# HELP crossfade_routing_stale 1 while the routing state could not be read for five seconds or at all.',
    '# TYPE crossfade_routing_stale gauge',
    `crossfade_routing_stale ${isStale ? 1 : 0}`,
    '',
  ].join('\n')
