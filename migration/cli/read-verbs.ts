import { formatColumns } from '#shared/format-columns.ts'
import { formatQuery } from '../api/format-query.ts'
import { MigrationReport } from '../model/report/migration-report.ts'
import {
  describeReportTime,
  formatReportMarkdown,
  listReportTables,
  type ReportTable,
  titleReport,
} from '../model/report/report-tables.ts'
import { formatAccount, formatAudit, formatExplanation, formatList, formatUsage, wrapText } from './format.ts'
import {
  AccountResponse,
  AuditResponse,
  EvidenceResponse,
  ExplainResponse,
  ListResponse,
  UsageResponse,
} from './responses.ts'
import { defineVerb, isWholeNumber, showResponse } from './verb.ts'

const list = defineVerb({
  takes: 'list',
  means: 'the state of every route',
  flags: {},
  run: (_, send) => showResponse(send(ListResponse, 'GET', '/api/routes'), formatList),
})

const explain = defineVerb({
  takes: 'explain SCOPE',
  means: 'which side serves a route, why, and what blocks its next step',
  flags: {
    account: { type: 'string', takes: 'ID', means: 'the account to explain the route for' },
    link: {
      type: 'string',
      takes: 'SLUG',
      means: 'the slug or token of a share link, for share-link routes',
    },
  },
  required: 1,
  run({ values, operandAt }, send) {
    const query = formatQuery({ account: values.account, link: values.link })
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}${query}`
    return showResponse(send(ExplainResponse, 'GET', path), formatExplanation)
  },
})

const account = defineVerb({
  takes: 'account ACCOUNT',
  means: 'which side serves an account for each route, and since when',
  flags: {},
  required: 1,
  run({ operandAt }, send) {
    const path = `/api/accounts/${encodeURIComponent(operandAt(0))}`
    return showResponse(send(AccountResponse, 'GET', path), formatAccount)
  },
})

const evidence = defineVerb({
  takes: 'evidence LABEL',
  means: "what is known about a route's code: gate, contract run, comparisons, requests",
  flags: {},
  required: 1,
  run({ operandAt }, send) {
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}/evidence`
    return showResponse(send(EvidenceResponse, 'GET', path), formatExplanation)
  },
})

const usage = defineVerb({
  takes: 'usage',
  means: 'what the core still serves and why, and the paths that are not in the route table',
  flags: {},
  run: (_, send) => showResponse(send(UsageResponse, 'GET', '/api/core-usage'), formatUsage),
})

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
  run({ values, fail }, send) {
    if (values.markdown && values.json) fail('use either --markdown or --json')
    const path = `/api/report${formatQuery({ month: values.month })}`
    return showResponse(send(MigrationReport, 'GET', path), (json) =>
      values.markdown ? formatReportMarkdown(json).trimEnd() : formatReport(json),
    )
  },
})

const maxAuditEntries = 200

const audit = defineVerb({
  takes: 'audit SCOPE',
  means: 'who changed what, and why; SCOPE can be a forgotten instance; without SCOPE, everything',
  flags: {
    limit: {
      type: 'string',
      takes: 'NUMBER',
      means: `how many changes, at most ${maxAuditEntries}; default: 50`,
    },
    before: { type: 'string', takes: 'EPOCH', means: 'only changes before this epoch' },
  },
  run({ values, operandAt, fail }, send) {
    const { limit, before } = values
    if (limit !== undefined && !isWholeNumber(limit, 1, maxAuditEntries))
      fail(`--limit must be a whole number from 1 to ${maxAuditEntries}`)
    if (before !== undefined && !isWholeNumber(before))
      fail('--before must be a whole number up to 2147483647')
    const path = `/api/audit${formatQuery({ scope: operandAt(0), limit, before })}`
    return showResponse(send(AuditResponse, 'GET', path), formatAudit)
  },
})

export const readVerbs = { list, explain, account, evidence, usage, report, audit }
