import { hash } from 'node:crypto'
import type { Scenario } from '#migration/parity/run/scenario.ts'
import type { AttributedMutant } from './coverage.ts'
import { measureMutant } from './measure-mutant.ts'
import { type MutatedSide, workConcurrently } from './mutated-side.ts'
import type { MutantResult } from './results.ts'
import { mutantHeader } from './switch.ts'

/**
 * The maximum number of scenarios to try with a mutant in shared code, which up to two thousand reach. The first ones
 * are the most varied. A mutant of a few routes is tried with all scenarios of these routes.
 */
const maxScenarios = 240
const fewRoutes = 8

/** Takes one scenario of each route and status in turn, so that the first ones are varied. */
const alternate = (scenarios: readonly Scenario[]) => {
  const groups = [...Map.groupBy(scenarios, ({ label, status }) => `${label} ${status}`).values()]
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => groups.flatMap((each) => each[index] ?? [])).flat()
}

/** A mutant and the scenarios to try it with. `key` identifies these scenarios. */
export interface Trial {
  readonly mutant: AttributedMutant
  readonly scenarios: readonly Scenario[]
  readonly key: string
  readonly sparesSuccesses: boolean
}

export const createTrial = (
  mutant: AttributedMutant,
  scenarios: readonly Scenario[],
  compared: ReadonlyMap<string, ReadonlySet<string>>,
): Trial => {
  const isOwn = ({ label }: Scenario) => mutant.labels.includes(label)
  const able = mutant.scenarios
    .filter((index) => mutant.labels.some((label) => compared.get(index)?.has(label)))
    .flatMap((index) => scenarios[Number(index)] ?? [])
  const own = alternate(able.filter(isOwn))
  const tried = [...own, ...alternate(able.filter((each) => !isOwn(each)))]
  const most = mutant.labels.length > fewRoutes ? maxScenarios : Math.max(maxScenarios, own.length)
  const countSuccesses = (found: readonly Scenario[]) =>
    found.filter((each) => each.status < 300 && isOwn(each)).length
  return {
    mutant,
    scenarios: tried.slice(0, most),
    key: hash('sha256', JSON.stringify(tried.map(({ label, title }) => [label, title]))).slice(0, 16),
    sparesSuccesses: countSuccesses(able) < countSuccesses(scenarios),
  }
}

export const tryMutants = async (
  side: MutatedSide,
  trials: readonly Trial[],
  onResult: (trial: Trial, result: Omit<MutantResult, 'id' | 'tried'>) => Promise<void>,
) => {
  const alone = trials.filter(({ mutant }) => mutant.isStatic)
  const together = trials.filter(({ mutant }) => !mutant.isStatic)
  const measure = (trial: Trial) =>
    measureMutant({
      ...trial,
      run: (chunk) => side.run(chunk, { [mutantHeader]: trial.mutant.id }),
    })
  while (together.length > 0)
    await side.serveDuring({}, async () => {
      let isStopped = false
      await workConcurrently(
        () => (isStopped ? undefined : together.shift()),
        async (trial) => {
          const result = await measure(trial)
          if (result !== 'no response') return onResult(trial, result)
          isStopped = true
          alone.push(trial)
        },
      )
    })
  for (const trial of alone)
    await side
      .serveDuring({ MUTANT: trial.mutant.id }, async () => {
        const result = await measure(trial)
        await onResult(trial, result === 'no response' ? { outcome: 'crashed', difference: result } : result)
      })
      // With this mutant, the gateway's modules do not load.
      .catch(() => onResult(trial, { outcome: 'crashed', difference: 'the gateway does not start' }))
}
