import type { Label } from '#contracts/route-table.ts'
import { type Difference, differenceClasses, selectMostSevere } from '../../diff/verdict.ts'
import type { Comparison } from './parity-run.ts'

/** All differences in a run that have the same signature. */
export interface SignatureSummary
  extends Pick<Difference, 'signature' | 'kind' | 'path' | 'blame' | 'example'> {
  readonly label: Label
  readonly class: Difference['class']
  readonly comparisons: number
  readonly places: number
  readonly scenarios: readonly string[]
  readonly reason: string | null
  readonly forbidsPromotion: boolean
}

interface Occurrence {
  readonly comparison: Comparison
  readonly difference: Difference
}

const maxScenarios = 5

const summarise = (occurrences: readonly [Occurrence, ...Occurrence[]]): SignatureSummary => {
  const mostSevere = selectMostSevere(occurrences.map(({ difference }) => difference.class))
  const { comparison, difference } =
    occurrences.find((occurrence) => occurrence.difference.class === mostSevere) ?? occurrences[0]
  const { signature, kind, path, blame, example, reason = null } = difference
  return {
    signature,
    label: comparison.label,
    kind,
    path,
    class: mostSevere,
    blame,
    comparisons: occurrences.length,
    places: occurrences.reduce((sum, occurrence) => sum + occurrence.difference.count, 0),
    scenarios: [...new Set(occurrences.map((occurrence) => occurrence.comparison.scenario))].slice(
      0,
      maxScenarios,
    ),
    example,
    reason,
    forbidsPromotion: occurrences.some((occurrence) => occurrence.difference.forbidsPromotion),
  }
}

const severity = ({ class: name }: SignatureSummary) => differenceClasses.indexOf(name)

export const summariseSignatures = (comparisons: readonly Comparison[]): SignatureSummary[] => {
  const occurrences = comparisons.flatMap((comparison) =>
    comparison.differences.map((difference) => ({ comparison, difference })),
  )
  return [...Map.groupBy(occurrences, ({ difference }) => difference.signature).values()]
    .flatMap(([first, ...others]) => (first ? [summarise([first, ...others])] : []))
    .sort((a, b) => severity(b) - severity(a) || b.comparisons - a.comparisons)
}
