import type { AttributedMutant } from './coverage.ts'
import type { MutantResult } from './results.ts'

export interface MeasuredMutant {
  readonly mutant: AttributedMutant
  readonly result: MutantResult
  readonly equivalence: string | undefined
}

const shared = 'shared'

const areaOf = ({ labels }: AttributedMutant) => {
  const areas = new Set(labels.map((label) => label.split('.')[0]))
  return areas.size === 1 ? ([...areas][0] ?? shared) : shared
}

export const score = (measured: readonly MeasuredMutant[]) => {
  const equivalent = measured.filter(
    ({ equivalence, result }) => isAlive(result) && equivalence !== undefined,
  )
  const count = (outcome: MutantResult['outcome']) =>
    measured.filter((each) => each.result.outcome === outcome && !equivalent.includes(each)).length
  const [killed, survived, unreached] = [count('killed'), count('survived'), count('unreached')]
  const total = killed + survived + unreached
  return {
    killed,
    survived,
    unreached,
    crashed: count('crashed'),
    equivalent: equivalent.length,
    percent: total === 0 ? null : (100 * killed) / total,
  }
}

const isAlive = ({ outcome }: MutantResult) => outcome === 'survived' || outcome === 'unreached'

const formatPercent = (percent: number | null) => (percent === null ? '–' : `${percent.toFixed(1)} %`)

const columns = ['area', 'score', 'killed', 'survived', 'unreached', 'crashed', 'equivalent']

export const formatScores = (measured: readonly MeasuredMutant[]) => {
  const byArea = [...Map.groupBy(measured, ({ mutant }) => areaOf(mutant))].sort(([a], [b]) =>
    a.localeCompare(b),
  )
  const row = (name: string, mutants: readonly MeasuredMutant[]) => {
    const { percent, killed, survived, unreached, crashed, equivalent } = score(mutants)
    return `| ${[name, formatPercent(percent), killed, survived, unreached, crashed, equivalent].join(' | ')} |`
  }
  return [
    `| ${columns.join(' | ')} |`,
    `|---|${'---:|'.repeat(columns.length - 1)}`,
    ...byArea.map(([area, mutants]) => row(area, mutants)),
    row('all', measured),
  ].join('\n')
}

const formatDiff = ({ path, start, end, text }: AttributedMutant, source: string) => {
  const from = source.lastIndexOf('\n', start - 1) + 1
  const next = source.indexOf('\n', end)
  const to = next < 0 ? source.length : next
  const before = source.slice(from, to).split('\n')
  const mutated = source.slice(from, start) + text + source.slice(end, to)
  const after = mutated.replaceAll('__mutants.sql.', '').split('\n')
  const first = before.findIndex((line, index) => line !== after[index])
  const last = before.toReversed().findIndex((line, index) => line !== after[after.length - 1 - index])
  const trimmed = (lines: readonly string[]) =>
    lines.slice(first, last <= 0 ? undefined : Math.max(first, lines.length - last))
  const line = source.slice(0, from).split('\n').length + first
  return [
    `${path}:${line}`,
    ...trimmed(before).map((each) => `-${each}`),
    ...trimmed(after).map((each) => `+${each}`),
  ].join('\n')
}

export const formatReport = (
  measured: readonly MeasuredMutant[],
  originals: ReadonlyMap<string, string>,
  heading: string,
) => {
  const alive = measured.filter(({ result, equivalence }) => isAlive(result) && equivalence === undefined)
  const describeMutant = ({ mutant, result }: MeasuredMutant) =>
    [
      `### ${mutant.id} ${mutant.operator}: ${result.outcome}`,
      '',
      mutant.labels.join(', '),
      '',
      '```diff',
      formatDiff(mutant, originals.get(mutant.path) ?? ''),
      '```',
    ].join('\n')
  const sorted = alive.toSorted(
    (a, b) =>
      areaOf(a.mutant).localeCompare(areaOf(b.mutant)) ||
      a.mutant.path.localeCompare(b.mutant.path) ||
      a.mutant.start - b.mutant.start,
  )
  return `${['# Mutants', heading, formatScores(measured), '## Not noticed', ...sorted.map(describeMutant)].join('\n\n')}\n`
}
