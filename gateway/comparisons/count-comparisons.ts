import type { NativeMetrics } from '../observability/routing-metrics.ts'
import type { ComparisonRecorder } from '../routing/evidence/comparison-recorder.ts'

/** Also counts for the metrics what is recorded. */
export const countComparisons = (
  recorder: ComparisonRecorder,
  { countComparison }: Pick<NativeMetrics, 'countComparison'>,
): ComparisonRecorder => ({
  ...recorder,
  countDrop(label, evidenceKey) {
    countComparison(label, 'dropped')
    recorder.countDrop(label, evidenceKey)
  },
  record(comparison) {
    countComparison(comparison.label, comparison.outcome)
    recorder.record(comparison)
  },
})
