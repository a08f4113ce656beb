import { version } from './log.ts'
import type { MetricFamily } from './metric-family.ts'

/** What runs, as labels of a gauge that is always 1. */
export const buildFamily = (build: string, node: string): MetricFamily => ({
  name: 'crossfade_build_info',
  help: 'Always 1; the labels name the release, the id of its code and the version of Node.',
  type: 'gauge',
  labels: ['version', 'build', 'node'],
  collect: () => [{ labels: { version, build, node }, value: 1 }],
})
