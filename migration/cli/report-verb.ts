import { formatColumns } from '#shared/format-columns.ts'
import { formatReportMarkdown } from '../model/report/format-markdown.ts'
import { MigrationReport } from '../model/report/migration-report.ts'
import {
  describeReportTime,
  listReportTables,
  type ReportTable,
  titleReport,
} from '../model/report/report-tables.ts'
import { wrapText } from './format.ts'
import { defineVerb, formatQuery } from './verb.ts'

const formatTable = ({ title, columns, rows, empty }: ReportTable) => [
  '',
  title,
  rows.length === 0 ? empty : formatColumns([columns.map(({ name }) => name), ...rows]),
]

const formatReport = (report: MigrationReport) => {
  const { summary, limits } = report.sentences
  return [
    titleReport(report),
    ...[describeReportTime(report), ...summary].map(wrapText),
    ...listReportTables(report).flatMap(formatTable),
    '',
    ...limits.map(wrapText),
  ].join('\n')
}

export const report = defineVerb({
  takes: 'report',
  means: 'how far the migration has come, and what moved or was stopped in a month',
  flags: {
    month: { type: 'string', takes: 'YYYY-MM', means: 'the month to report on; default: this month' },
    markdown: { type: 'boolean', means: 'prints Markdown' },
  },
  async run({ values, fail }, send) {
    if (values.markdown && values.json) fail('use either --markdown or --json')
    const query = formatQuery({ month: values.month })
    const json = await send(MigrationReport, 'GET', `/api/report${query}`)
    return { json, text: values.markdown ? formatReportMarkdown(json).trimEnd() : formatReport(json) }
  },
})
