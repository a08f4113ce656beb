import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Label } from '#contracts/route-table.ts'
import { runExitCodes } from '#migration/parity/report/summary.ts'
import type { Scenario } from '#migration/parity/run/scenario.ts'
import { type AttributedMutant, attribute, type Coverage } from './coverage.ts'
import { equivalentMutants } from './equivalent-mutants.ts'
import {
  createMutatedSide,
  type MutatedSide,
  type MutatedSideOptions,
  workConcurrently,
} from './mutated-side.ts'
import { formatReport, formatScores, type MeasuredMutant, score } from './report.ts'
import { type MutantResult, openResults } from './results.ts'
import { listChangedFiles, mutateSources } from './sources.ts'
import { scenarioHeader } from './switch.ts'
import { createTrial, type Trial, tryMutants } from './try-mutants.ts'

interface RunOptions extends MutatedSideOptions {
  readonly scenarios: readonly Scenario[]
  readonly isChanged: boolean
  readonly sample: number | undefined
  readonly seed: string
  /** `index` starts at 1. */
  readonly shard: { readonly index: number; readonly count: number }
  /** The folder for the report and the results. A later run reuses the results. */
  readonly out: string
}

const minPercentOfChanged = 70
const maxChanged = 60

const say = (text: string) => process.stderr.write(`${text}\n`)

/** Returns the first `count` mutants, in an order that depends only on the seed and each mutant. */
const sampleOf = (mutants: readonly AttributedMutant[], count: number, seed: string) =>
  mutants
    .map((mutant) => ({ mutant, key: hash('sha256', `${seed} ${mutant.id}`) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)

/** Each shard gets every `count`th mutant, so all of them take about as long. */
export const shardOf = <T>(mutants: readonly T[], { index, count }: RunOptions['shard']): readonly T[] =>
  mutants.filter((_, position) => position % count === index - 1)

const notClean: ReadonlySet<string> = new Set(['regression', 'critical', 'failed', 'not_comparable'])

/** Runs all scenarios without a mutant. Returns what their requests reach, and which routes each scenario compares. */
const recordCoverage = async (side: MutatedSide, scenarios: readonly Scenario[], coverageFile: string) => {
  const compared = new Map<string, ReadonlySet<string>>()
  say(`recording what ${scenarios.length} scenarios reach`)
  const entries = scenarios.entries()
  await side.serveDuring({ COVERAGE_FILE: coverageFile }, () =>
    workConcurrently(
      () => entries.next().value,
      async ([index, scenario]) => {
        const comparisons = await side.run([scenario], { [scenarioHeader]: String(index) })
        if (comparisons.some((each) => notClean.has(each.class)))
          say(`not used, because it does not pass: ${scenario.label}: ${scenario.title}`)
        else compared.set(String(index), new Set(comparisons.map(({ label }) => label)))
      },
    ),
  )
  const coverage: Coverage = JSON.parse(await readFile(coverageFile, 'utf8'))
  return { coverage, compared }
}

export const runMutants = async (options: RunOptions) => {
  const { labels, out, workDir, isChanged, seed, shard } = options
  const sources = mutateSources()
  const side = await createMutatedSide(options, sources.texts)
  const scenarios = options.scenarios.filter(({ label }) => labels.has(label))
  const { coverage, compared } = await recordCoverage(side, scenarios, join(workDir, 'coverage.json'))

  const changed = isChanged ? await listChangedFiles() : null
  const attributed = attribute({
    ...sources,
    coverage,
    isCompared: (label) => labels.has(label as Label),
  }).filter(({ path }) => changed === null || changed.has(path))
  const limit = options.sample ?? (isChanged ? maxChanged : attributed.length)
  const selected = shardOf(sampleOf(attributed, limit, seed), shard)
  const heading = `${selected.length} of ${attributed.length} mutants, seed ${seed}`
  say(heading)

  const results = await openResults(join(out, 'results.jsonl'))
  const measured: MeasuredMutant[] = []
  const add = ({ mutant }: Trial, result: MutantResult) => {
    measured.push({ mutant, result, equivalence: equivalentMutants.get(mutant.id) })
    if (measured.length % 25 === 0) say(`${measured.length} of ${selected.length} mutants`)
  }
  const trials = selected.map((mutant) => createTrial(mutant, scenarios, compared))
  const remaining = trials.filter((trial) => {
    const { mutant, key } = trial
    const known =
      trial.scenarios.length === 0
        ? ({ id: mutant.id, tried: key, outcome: 'unreached' } as const)
        : results.find(mutant.id, key)
    if (known) add(trial, known)
    return known === undefined
  })
  await tryMutants(side, remaining, async (trial, result) => {
    const complete = { id: trial.mutant.id, tried: trial.key, ...result }
    await results.add(complete)
    add(trial, complete)
  })

  const path = join(out, 'mutants.md')
  await writeFile(path, formatReport(measured, sources.originals, heading))
  process.stdout.write(`${heading}\n\n${formatScores(measured)}\n\nNot noticed: ${path}\n`)
  const { percent } = score(measured)
  return isChanged && percent !== null && percent < minPercentOfChanged
    ? runExitCodes.regression
    : runExitCodes.pass
}
