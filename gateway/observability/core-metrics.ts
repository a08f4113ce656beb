import type { BucketHistogram } from '#shared/histogram.ts'
import { countOf, gaugeOf, type MetricFamily, type MetricSample, type ValueFamily } from './metric-family.ts'

interface LaneUsage {
  readonly open: number
  readonly connecting: number
  readonly waiting: number
  readonly used: number
  readonly capacity: number
}

interface CoreUsage {
  readonly lanes: Readonly<Record<string, LaneUsage>>
  readonly responseTimes: BucketHistogram
  readonly isHanging: boolean
  readonly hangs: number
}

/** The connections to the core and its response times. */
export const createCoreFamilies = (usage: () => CoreUsage): readonly MetricFamily[] => {
  const gaugeOfLanes = (name: string, help: string, read: (lane: LaneUsage) => number): ValueFamily => ({
    name,
    help,
    type: 'gauge',
    labels: ['lane'],
    collect: () =>
      Object.entries(usage().lanes).map(
        ([lane, used]): MetricSample => ({ labels: { lane }, value: read(used) }),
      ),
  })
  return [
    {
      name: 'crossfade_core_response_seconds',
      help: 'Time from sending a request without a streamed body to the core until the head of its response.',
      type: 'histogram',
      labels: [],
      collect: () => [{ histogram: usage().responseTimes }],
    },
    gaugeOf('crossfade_core_hanging', '1 while the core accepts connections and does not respond.', () =>
      usage().isHanging ? 1 : 0,
    ),
    countOf('crossfade_core_hangs_total', 'How many times the core was found to hang.', () => usage().hangs),
    gaugeOfLanes('crossfade_core_connections', 'Open connections to the core.', ({ open }) => open),
    gaugeOfLanes(
      'crossfade_core_requests_connecting',
      'Requests that wait until a connection to the core is open.',
      ({ connecting }) => connecting,
    ),
    gaugeOfLanes(
      'crossfade_core_requests',
      'Requests to the core in progress, without long streams.',
      ({ used }) => used,
    ),
    gaugeOfLanes(
      'crossfade_core_requests_max',
      'How many requests to the core may be in progress.',
      ({ capacity }) => capacity,
    ),
    gaugeOfLanes(
      'crossfade_core_requests_waiting',
      'Requests that wait until one to the core ends.',
      ({ waiting }) => waiting,
    ),
  ]
}
