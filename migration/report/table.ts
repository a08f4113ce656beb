import type { ParityReport } from './parity-json.ts'
import type { SignatureSummary } from './signatures.ts'
import { describeOutcome, type RowOutcome, type RowSummary } from './summary.ts'

const words: Readonly<Record<RowOutcome, string>> = {
  pass: 'pass: native and core agree',
  regression: 'regression: native differs from the core',
  could_not_compare: 'could not compare everything',
  inconclusive: 'inconclusive: not every route was compared where it succeeds',
}

const seenOf = ({ coverage }: RowSummary) => {
  const documented = coverage.filter((status) => status.documented)
  const seen = documented.filter(({ native, core }) => native > 0 && core > 0)
  const missing = documented.filter((status) => !seen.includes(status)).map(({ status }) => status)
  return `${seen.length}/${documented.length}${missing.length > 0 ? ` (not ${missing.join(' ')})` : ''}`
}

const harmless = ['equal', 'accepted', 'noise', 'transient']

const lineOf = ({ class: grade, label, kind, path, blame, example, reason, scenarios }: SignatureSummary) => [
  `${grade}  ${label}  ${kind} at ${path}, blame ${blame}`,
  `    native ${example.native ?? 'nothing'}, core ${example.core ?? 'nothing'}${reason === null ? '' : `: ${reason}`}`,
  `    in: ${scenarios.join('; ')}`,
]

/** A report as lines of text: a row for each route, then what differs, then the outcome. */
export const formatTable = ({ summary }: ParityReport) => {
  const cells = summary.rows.map((row) => [
    row.label,
    describeOutcome(row),
    String(row.comparisons),
    seenOf(row),
  ])
  const header = ['route', 'class', 'comparisons', 'statuses seen']
  const widths = header.map((name, place) =>
    Math.max(name.length, ...cells.map((row) => (row[place] ?? '').length)),
  )
  const padded = [header, ...cells].map((row) =>
    row
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const grave = summary.signatures.filter((found) => !harmless.includes(found.class))
  const { seen, documented } = summary.coverage
  return [
    ...padded,
    '',
    ...grave.flatMap(lineOf),
    ...(grave.length > 0 ? [''] : []),
    `${summary.comparisons} comparisons, ${seen} of ${documented} documented statuses seen on both sides`,
    words[summary.outcome],
  ]
}
