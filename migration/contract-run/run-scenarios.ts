import { setTimeout as sleep } from 'node:timers/promises'
import type { Rules } from '../diff/judge.ts'
import { createSignature } from '../diff/verdict.ts'
import type { Comparison } from '../report/parity-run.ts'
import { createComparison, isUncertain, judgePair, learnNoiseFrom, type NoiseByLabel } from './judge-pairs.ts'
import type { Pair } from './pairs.ts'
import { type Deployments, runScenario, type ScenarioOutcome } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'

export interface RunOptions {
  readonly deployments: Deployments
  readonly rules: Rules
  /** How many scenarios are played at once. */
  readonly atOnce: number
  /** Called whenever one more scenario is through. */
  readonly onProgress: (done: number, doubtful: number) => void
}

interface Played {
  readonly scenario: Scenario
  readonly first: ScenarioOutcome
  /** The same once more, where something differed. */
  readonly again?: ScenarioOutcome
}

// Long enough for a state of the moment to have passed.
const pauseMs = 250

const pairsOf = (outcome: ScenarioOutcome | undefined): readonly Pair[] =>
  outcome !== undefined && 'pairs' in outcome ? outcome.pairs : []

const counterpart = (again: ScenarioOutcome | undefined, pair: Pair) =>
  pairsOf(again).find(
    (other) =>
      other.label === pair.label && other.scenario === pair.scenario && other.storedBy === pair.storedBy,
  )

const neverCompared = ({ label, title }: Scenario, reason: string): Comparison => ({
  label,
  scenario: title,
  native: null,
  core: null,
  class: 'not_comparable',
  differences: [
    {
      kind: 'status',
      path: 'scenario',
      class: 'not_comparable',
      blame: 'unknown',
      signature: createSignature(label, `scenario: ${reason}`, 'status'),
      count: 1,
      example: { path: 'scenario', native: null, core: null },
      reason,
    },
  ],
})

const isDifferent = ({ class: grade }: Comparison) => grade !== 'equal' && grade !== 'accepted'

/**
 * What a write stored tells something of the write only where both sides read it alike and its answer does not
 * say the same already, and what one read shows the next ones show again: one fault is one difference.
 */
const withoutEchoes = (judged: readonly { readonly pair: Pair; readonly comparison: Comparison }[]) => {
  const differing = judged.filter(({ comparison }) => isDifferent(comparison))
  const [told = differing[0]] = differing.filter(({ pair }) => pair.storedBy === undefined)
  return judged
    .filter((each) => each.pair.storedBy === undefined || each === told || !isDifferent(each.comparison))
    .map(({ comparison }) => comparison)
}

const judge = ({ scenario, first, again }: Played, rules: Rules, noise: NoiseByLabel): Comparison[] => {
  if ('obstacle' in first) return [neverCompared(scenario, first.obstacle)]
  return withoutEchoes(
    first.pairs.map((pair) => {
      const verdict = judgePair(pair, counterpart(again, pair), rules, noise)
      return { pair, comparison: createComparison(pair, verdict) }
    }),
  )
}

/** Plays every scenario on both sides, those that differ twice, and compares all that was answered. */
export const runScenarios = async (
  scenarios: readonly Scenario[],
  { deployments, rules, atOnce, onProgress }: RunOptions,
): Promise<Comparison[]> => {
  const noise: NoiseByLabel = new Map()
  const played: Played[] = []
  let doubtful = 0

  const play = async (scenario: Scenario): Promise<Played> => {
    const first = await runScenario(scenario, deployments)
    if (!pairsOf(first).some((pair) => isUncertain(pair, rules, noise))) return { scenario, first }
    doubtful++
    await sleep(pauseMs)
    return { scenario, first, again: await runScenario(scenario, deployments) }
  }

  const waiting = scenarios.values()
  const worker = async () => {
    for (const scenario of waiting) {
      const result = await play(scenario)
      for (const pair of pairsOf(result.first)) learnNoiseFrom(noise, pair, counterpart(result.again, pair))
      played.push(result)
      onProgress(played.length, doubtful)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const order = new Map(scenarios.map((scenario, place) => [scenario, place]))
  return played
    .sort((a, b) => (order.get(a.scenario) ?? 0) - (order.get(b.scenario) ?? 0))
    .flatMap((result) => judge(result, rules, noise))
}
