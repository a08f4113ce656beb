import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink } from '#contracts/shared/row.ts'
import type { ComparisonRecorder } from '../control/evidence/comparison-recorder.ts'
import type { FirstComparison } from '../diff/compare-live.ts'
import { attributeTo, type Difference, isLeak, isRegression } from '../diff/verdict.ts'
import { queryShapeOf } from '../model/gate/request-shape.ts'
import { isResponseShape, queryShapesOf } from '../model/gate/response-shapes.ts'
import type { ComparisonResult, CopiedResponse } from '../shadow/comparison-tasks.ts'
import type { AskBudget } from './ask-core.ts'
import type { ComparisonFilter } from './comparison-filter.ts'
import type { Confirmations, DecideByRecurrence } from './confirmations.ts'
import type { Sample } from './sample.ts'

interface ConcludeOptions {
  readonly recorder: Pick<ComparisonRecorder, 'countDrop' | 'record' | 'recordMismatch'>
  readonly confirmations: Confirmations
  readonly decideByRecurrence: DecideByRecurrence
  readonly budget: AskBudget
  readonly confirm: (
    sample: Sample,
    first: FirstComparison<CopiedResponse> | null,
  ) => Promise<readonly Difference[] | null>
  readonly mayRepeat: (label: Label) => boolean
  readonly mayAsk: () => boolean
  readonly votes: ComparisonFilter
}

interface Compared {
  readonly sample: Sample
  readonly coreStatus: number
  /** The core's response; null if native responded first. */
  readonly coreBefore: CopiedResponse | null
}

interface Conclusion {
  readonly outcome: 'equal' | 'regression' | 'critical' | 'transient'
  readonly mismatches: readonly Difference[]
}

const equal: Conclusion = { outcome: 'equal', mismatches: [] }

const signatureOf = ({ signature }: Difference) => signature

const asTransient = (difference: Difference): Difference => ({ ...difference, class: 'transient' })

const attributeToJudged = ({ label, judged }: Sample, difference: Difference) =>
  label === judged.label ? difference : attributeTo(judged.label, label, difference)

// After a write, the core may serve both reads, and then the headers say nothing about native.
const isSelected = ({ label, judged }: Sample, { path }: Difference) =>
  label === judged.label || !path.startsWith('headers.')

/**
 * Lists the shapes of a request and the core's response. Empty if no such response could be compared, and for a read
 * after a write, because its shapes say nothing about the write. Drops shapes that are not in the contract, because the
 * child process is not trusted.
 */
export const listShapes = (
  { label, judged, request }: Sample,
  result: ComparisonResult,
): readonly string[] =>
  'shapes' in result && label === judged.label
    ? [
        ...queryShapesOf(label, request.query),
        ...result.shapes.filter((shape) => isResponseShape(label, shape)),
      ]
    : []

export const createConclude = (options: ConcludeOptions) => {
  const { recorder, confirmations, decideByRecurrence, budget, confirm, mayRepeat, mayAsk, votes } = options

  // Differences found while a confirmation is running wait for its result, which may cover them too.
  const confirming = new Map<Label, Promise<unknown>>()

  const confirmOnce = async ({ sample, coreBefore }: Compared, differences: readonly Difference[]) => {
    const { label } = sample.judged
    const tried = differences.map(signatureOf)
    confirmations.begin(label, tried)
    const confirmation = confirm(sample, coreBefore && { core: coreBefore, differences })
    confirming.set(label, confirmation)
    const persisting = await confirmation.finally(() => {
      if (confirming.get(label) === confirmation) confirming.delete(label)
    })
    if (persisting) confirmations.record(label, tried, persisting.map(signatureOf))
    return persisting
  }

  const findPersisting = async (compared: Compared, regressions: readonly Difference[]) => {
    const { sample } = compared
    const { label } = sample.judged
    const tried = regressions.map(signatureOf)
    await confirming.get(label)
    const decision = mayRepeat(sample.label)
      ? confirmations.decide(label, tried)
      : decideByRecurrence(label, tried)
    if (decision === 'count') return regressions
    if (decision === 'transient') return []
    return decision === 'confirm' && mayAsk() && budget.take(label, 2, true)
      ? confirmOnce(compared, regressions)
      : null
  }

  const chooseConclusion = async (
    compared: Compared,
    differences: readonly Difference[],
  ): Promise<Conclusion | null> => {
    const leaks = differences.filter(isLeak)
    // One leak is enough, and repeating the request would leak again.
    if (leaks.length > 0) return { outcome: 'critical', mismatches: leaks }
    const regressions = differences.filter(isRegression)
    if (regressions.length === 0) return equal
    const found = await findPersisting(compared, regressions)
    if (found === null) return null
    if (found.some(isLeak)) return { outcome: 'critical', mismatches: found.filter(isLeak) }
    const persisting = found.filter((difference) => isSelected(compared.sample, difference))
    return persisting.length > 0
      ? { outcome: 'regression', mismatches: persisting }
      : { outcome: 'transient', mismatches: regressions.map(asTransient) }
  }

  // A voter has one vote a minute. The first regression of a minute counts even if that vote has been used.
  const hasVote = (sample: Sample, coreStatus: number, outcome: Conclusion['outcome']) => {
    const { label } = sample.judged
    // Failed link requests have no vote, because anyone could request any number of links that do not exist.
    const voter = isDecidedByLink(label) && coreStatus >= 400 ? null : sample.subject
    const shape = `${label} ${sample.label} ${queryShapeOf(sample.label, sample.request.query)}`
    const differs = outcome === 'regression' || outcome === 'critical'
    const isFirstRegression = differs && votes.count(voter, `${shape} regression`)
    return votes.count(voter, shape) || isFirstRegression
  }

  return async (compared: Compared, result: ComparisonResult): Promise<void> => {
    const { sample, coreStatus } = compared
    const { judged, subject, requestId } = sample
    const { label, evidenceKey } = judged
    const comparison = { label, evidenceKey, coreStatus, subject, shapes: listShapes(sample, result) }
    const isExcluded = result.kind === 'compared' && result.class === 'not_comparable'
    if (result.kind === 'not_comparable' || isExcluded)
      return recorder.record({ ...comparison, isIndependent: false, outcome: 'not_comparable' })
    const conclusion =
      result.kind === 'compared'
        ? await chooseConclusion(
            compared,
            result.differences.filter((difference) => isSelected(sample, difference)),
          )
        : null
    if (conclusion === null) return recorder.countDrop(label, evidenceKey)
    const { outcome } = conclusion
    recorder.record({ ...comparison, outcome, isIndependent: hasVote(sample, coreStatus, outcome) })
    for (const difference of conclusion.mismatches)
      recorder.recordMismatch({
        label,
        evidenceKey,
        difference: attributeToJudged(sample, difference),
        requestId,
      })
  }
}
