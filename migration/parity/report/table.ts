import { formatColumns } from '#shared/format-columns.ts'
import {
  describeOutcome,
  harmless,
  outcomeTexts,
  type ParityReport,
  type RowSummary,
  type SignatureSummary,
} from './summary.ts'

const formatCoverage = ({ coverage }: RowSummary) => {
  const documented = coverage.filter((status) => status.documented)
  const seen = documented.filter(({ native, core }) => native > 0 && core > 0)
  const missing = documented.filter((status) => !seen.includes(status)).map(({ status }) => status)
  return `${seen.length}/${documented.length}${missing.length > 0 ? ` (not ${missing.join(' ')})` : ''}`
}

const formatSignature = (found: SignatureSummary) => {
  const { example, reason } = found
  return [
    `${found.class}  ${found.label}  ${found.kind} at ${found.path}, blame ${found.blame}`,
    `    native ${example.native ?? 'absent'}, core ${example.core ?? 'absent'}${reason === null ? '' : `: ${reason}`}`,
    `    in: ${found.scenarios.join('; ')}`,
  ]
}

const formatUnseenShapes = (rows: readonly RowSummary[]) => {
  const count = rows.reduce((sum, { unseenShapes }) => sum + unseenShapes.length, 0)
  return count === 0
    ? []
    : [`${count} shapes of queries and responses not compared (listed in the HTML report)`]
}

export const formatTable = ({ run: { warnings }, summary }: ParityReport) => {
  const cells = summary.rows.map((row) => [
    row.label,
    describeOutcome(row),
    String(row.comparisons),
    formatCoverage(row),
  ])
  const header = ['route', 'class', 'comparisons', 'statuses seen']
  const severe = summary.signatures.filter((found) => !harmless.includes(found.class))
  const { seen, documented } = summary.coverage
  return [
    ...formatColumns([header, ...cells]).split('\n'),
    '',
    ...severe.flatMap(formatSignature),
    ...(severe.length > 0 ? [''] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(warnings.length > 0 ? [''] : []),
    `${summary.comparisons} comparisons, ${seen} of ${documented} documented statuses seen on both sides`,
    ...formatUnseenShapes(summary.rows),
    `${summary.outcome.replaceAll('_', ' ')}: ${outcomeTexts[summary.outcome]}`,
  ]
}
