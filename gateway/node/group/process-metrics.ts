import { gaugeOf, type MetricFamily } from '../../observability/metric-family.ts'

/** How many processes the values of a scrape are of, and how many `configured` asks for. */
export const createProcessFamilies = (configured: number): readonly MetricFamily[] => [
  gaugeOf('crossfade_processes', 'The processes that this scrape includes.', () => 1),
  gaugeOf(
    'crossfade_processes_configured',
    'The processes that PROCESSES asks for.',
    () => configured,
    'max',
  ),
]
