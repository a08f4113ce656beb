import type { MigrationReport } from './migration-report.ts'
import { describeReportTime, listReportTables, type ReportTable, titleReport } from './report-tables.ts'

// A person's reason must not become markup or end a table cell.
const escapeMarkdown = (text: string) =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>|~#&!]/g, (character) => `\\${character}`)

const formatCells = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const formatTable = ({ title, columns, rows, empty }: ReportTable) => [
  `## ${title}`,
  '',
  ...(rows.length === 0
    ? [empty]
    : [
        formatCells(columns.map(({ name }) => name)),
        formatCells(columns.map(({ kind }) => (kind === 'number' ? '---:' : '---'))),
        ...rows.map((cells) => formatCells(cells.map(escapeMarkdown))),
      ]),
  '',
]

const formatSentences = (sentences: readonly string[]) =>
  sentences.flatMap((sentence) => [escapeMarkdown(sentence), ''])

export const formatReportMarkdown = (report: MigrationReport): string => {
  const { summary, limits } = report.sentences
  return [
    `# ${titleReport(report)}`,
    '',
    describeReportTime(report),
    '',
    ...formatSentences(summary),
    ...listReportTables(report).flatMap(formatTable),
    '## What this report leaves out',
    '',
    ...formatSentences(limits),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}
