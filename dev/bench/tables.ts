import { currentGateway, type RequestSample } from './measure.ts'
import { median, pairedRatio } from './statistics.ts'

type Samples<S> = ReadonlyMap<string, readonly S[]>
type Rated = { readonly perCpuSecond: number }

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

export const table = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(columns), row(columns.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n')

const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const listRates = (samples: readonly Rated[]) => samples.map(({ perCpuSecond }) => perCpuSecond)
const middle = <S>(samples: readonly S[], of: (sample: S) => number) => median(samples.map(of))
const highest = <S>(samples: readonly S[], of: (sample: S) => number) => Math.max(...samples.map(of))

export const rateCells = (samples: readonly Rated[]) => {
  const rates = listRates(samples)
  return [whole(median(rates)), `${whole(Math.min(...rates))} to ${whole(Math.max(...rates))}`]
}

const noResponses = 'no responses'
// The third decimal place keeps a narrowly missed target from looking met.
const formatRatio = (ratio: number) => (Number.isFinite(ratio) ? ratio.toFixed(3) : noResponses)

export const ratioTo = (samples: Samples<Rated>, name: string) =>
  pairedRatio(listRates(samples.get(currentGateway) ?? []), listRates(samples.get(name) ?? []))

const ratioCells = (samples: Samples<Rated>, name: string) => {
  if (name === currentGateway) return ['', '']
  const ratio = ratioTo(samples, name)
  if (!Number.isFinite(ratio.median)) return [noResponses, '']
  const highest = Number.isFinite(ratio.highest) ? `to ${ratio.highest.toFixed(2)}` : 'and more'
  return [ratio.median.toFixed(2), `${ratio.lowest.toFixed(2)} ${highest}`]
}

export const requestTable = (samples: Samples<RequestSample>) =>
  table(
    [
      '',
      'requests per CPU second',
      'spread',
      'crossfade to it',
      'spread',
      'p50 ms',
      'p99 ms',
      'peak MB',
      'errors',
    ],
    [...samples].map(([name, taken]) => [
      name,
      ...rateCells(taken),
      ...ratioCells(samples, name),
      middle(taken, ({ p50Ms }) => p50Ms).toFixed(2),
      middle(taken, ({ p99Ms }) => p99Ms).toFixed(2),
      whole(highest(taken, ({ peakMb }) => peakMb)),
      whole(taken.reduce((sum, { errors }) => sum + errors, 0)),
    ]),
  )

export interface BenchTarget {
  readonly what: string
  readonly measured: number
  readonly atLeast?: number
  readonly atMost?: number
}

const formatMet = ({
  measured,
  atLeast = Number.NEGATIVE_INFINITY,
  atMost = Number.POSITIVE_INFINITY,
}: BenchTarget) => {
  // The ratio to a peer that never responded is infinite, so it is meaningless.
  if (!Number.isFinite(measured)) return 'not comparable'
  return measured >= atLeast && measured <= atMost ? 'yes' : 'no'
}

const formatBound = ({ atLeast, atMost }: BenchTarget) =>
  atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`

export const targetTable = (targets: readonly BenchTarget[]) =>
  table(
    ['target', 'wanted', 'measured', 'met'],
    targets.map((target) => [
      target.what,
      formatBound(target),
      Number.isInteger(target.measured) ? whole(target.measured) : formatRatio(target.measured),
      formatMet(target),
    ]),
  )
