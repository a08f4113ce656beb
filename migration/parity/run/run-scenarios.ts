import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import type { Rules } from '../../diff/judge.ts'
import { createDifference, createSignature, type Difference, selectMostSevere } from '../../diff/verdict.ts'
import type { Comparison } from '../report/parity-run.ts'
import { isUncertain, judgePair, learnNoiseFrom, type NoiseByLabel, recordComparison } from './judge-pairs.ts'
import type { Pair } from './pairs.ts'
import type { ProviderDifference } from './provider-records.ts'
import type { Recorder } from './recorder.ts'
import { runScenario, type ScenarioOutcome } from './run-scenario.ts'
import type { FailedCall, Scenario } from './scenario.ts'
import type { Deployments } from './scenario-context.ts'

export interface RunOptions {
  readonly deployments: Deployments
  readonly isCompared: (label: Label) => boolean
  readonly rules: Rules
  readonly recorder: Recorder
  readonly concurrency: number
  readonly onProgress: (done: number, differing: number) => void
  readonly onNeedsRows?: () => void
}

interface ScenarioResult {
  readonly scenario: Scenario
  readonly first: ScenarioOutcome
  readonly repeat?: ScenarioOutcome
}

// Long enough for a transient state to pass before the second run.
const repeatDelayMs = 250

/** Finds a pair's counterpart in the second run. Pairs with the same name, such as repeated reads, match in order. */
const findCounterpart = ({ first, repeat }: ScenarioResult, pair: Pair) => {
  const hasSameName = ({ label, scenario, writtenBy }: Pair) =>
    label === pair.label && scenario === pair.scenario && writtenBy === pair.writtenBy
  const position = first.pairs.filter(hasSameName).indexOf(pair)
  return repeat?.pairs.filter(hasSameName)[position]
}

const createUnrecordedComparison = (
  label: Label,
  title: string,
  difference: Difference,
  native: number | null = null,
): Comparison => ({
  label,
  scenario: title,
  native,
  core: null,
  class: difference.class,
  differences: [difference],
})

const createFailedComparison = ({ label, title }: Scenario, reason: string): Comparison => {
  const difference = createDifference(label, {
    kind: 'status',
    path: 'scenario',
    class: 'not_comparable',
    blame: 'unknown',
    reason,
  })
  const signature = createSignature(label, `scenario: ${reason}`, 'status')
  return createUnrecordedComparison(label, title, { ...difference, signature })
}

/** If a preparing request failed on native alone, counts it as a regression of that request's own route. */
const createFailedPreparation = (
  { title }: Scenario,
  { label, status }: FailedCall,
  reason: string,
): Comparison => {
  const difference = createDifference(label, {
    kind: 'status',
    path: 'status',
    class: 'regression',
    blame: 'native',
    native: status === null ? null : String(status),
    reason: `the preparation failed on native only: ${reason}`,
  })
  return createUnrecordedComparison(label, `${title} (preparation)`, difference, status)
}

const createProviderComparison = ({ label, title }: Scenario, found: ProviderDifference): Comparison =>
  createUnrecordedComparison(
    label,
    `${title} (providers)`,
    createDifference(label, {
      ...found,
      kind: 'value',
      class: 'regression',
      blame: 'native',
      reason: 'native and the core sent different requests to providers',
    }),
  )

const isDifferent = ({ class: differenceClass }: Comparison) =>
  differenceClass !== 'equal' && differenceClass !== 'accepted'

/**
 * Keeps at most one differing read-back, and only if no other pair of the scenario differs as severely. Otherwise the
 * same fault would be reported several times. Something harmless, such as noise, hides no regression.
 */
const removeDuplicateReadBacks = (
  judged: readonly { readonly pair: Pair; readonly comparison: Comparison }[],
) => {
  const differing = judged.filter(({ comparison }) => isDifferent(comparison))
  const mostSevere = selectMostSevere(differing.map(({ comparison }) => comparison.class))
  const severest = differing.filter(({ comparison }) => comparison.class === mostSevere)
  const [reported = severest[0]] = severest.filter(({ pair }) => pair.writtenBy === undefined)
  return judged
    .filter((each) => each.pair.writtenBy === undefined || each === reported || !isDifferent(each.comparison))
    .map(({ comparison }) => comparison)
}

const judgeScenario = (
  result: ScenarioResult,
  { rules, recorder }: RunOptions,
  noise: NoiseByLabel,
): Comparison[] => {
  const { scenario, first, repeat } = result
  if (first.needsRows) return []
  if (first.error !== undefined) {
    const failure = first.nativeFailure
    return failure !== undefined && failure.label === repeat?.nativeFailure?.label
      ? [createFailedPreparation(scenario, failure, first.error)]
      : [createFailedComparison(scenario, first.error)]
  }
  const compared = removeDuplicateReadBacks(
    first.pairs.map((pair) => {
      const verdict = judgePair(pair, findCounterpart(result, pair), rules, noise)
      return { pair, comparison: recordComparison(pair, verdict, recorder) }
    }),
  )
  // If the second run did not compare the providers, the first result stands.
  const found =
    repeat?.providerDifference === undefined ? first.providerDifference : repeat.providerDifference
  return first.providerDifference && found
    ? [...compared, createProviderComparison(scenario, found)]
    : compared
}

export const runScenarios = async (
  scenarios: readonly Scenario[],
  options: RunOptions,
): Promise<Comparison[]> => {
  const { deployments, isCompared, rules, onProgress } = options
  const noise: NoiseByLabel = new Map()
  // In the order of the scenarios. An interrupted run leaves gaps.
  const results: ScenarioResult[] = []
  let done = 0
  let differing = 0

  const run = async (scenario: Scenario): Promise<ScenarioResult> => {
    const first = await runScenario(scenario, deployments, isCompared)
    const isConfirmable =
      first.nativeFailure !== undefined ||
      first.providerDifference != null ||
      first.pairs.some((pair) => isUncertain(pair, rules, noise))
    if (!isConfirmable) return { scenario, first }
    differing++
    await sleep(repeatDelayMs)
    return { scenario, first, repeat: await runScenario(scenario, deployments, isCompared, true) }
  }

  const queue = scenarios.entries()
  const worker = async () => {
    for (const [index, scenario] of queue) {
      if (deployments.session.isStopped) return
      const result = await run(scenario)
      for (const pair of result.first.pairs) learnNoiseFrom(noise, pair, findCounterpart(result, pair))
      results[index] = result
      done++
      if (result.first.needsRows) options.onNeedsRows?.()
      onProgress(done, differing)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, worker))
  return results.flatMap((result) => judgeScenario(result, options, noise))
}
