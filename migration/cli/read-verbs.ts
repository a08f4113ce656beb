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
import { defineVerb, isWholeNumber } from './verb.ts'

const list = defineVerb({
  takes: 'list',
  means: 'the state of every route',
  flags: {},
  async run(_, send) {
    const json = await send(ListResponse, 'GET', '/api/routes')
    return { json, text: formatList(json) }
  },
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
  async run({ values, operandAt }, send) {
    const query = formatQuery({ account: values.account, link: values.link })
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}${query}`
    const json = await send(ExplainResponse, 'GET', path)
    return { json, text: formatExplanation(json) }
  },
})

const account = defineVerb({
  takes: 'account ACCOUNT',
  means: 'which side serves an account for each route, and since when',
  flags: {},
  required: 1,
  async run({ operandAt }, send) {
    const json = await send(AccountResponse, 'GET', `/api/accounts/${encodeURIComponent(operandAt(0))}`)
    return { json, text: formatAccount(json) }
  },
})

const evidence = defineVerb({
  takes: 'evidence LABEL',
  means: "what is known about a route's code: gate, contract run, comparisons, requests",
  flags: {},
  required: 1,
  async run({ operandAt }, send) {
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}/evidence`
    const json = await send(EvidenceResponse, 'GET', path)
    return { json, text: formatExplanation(json) }
  },
})

const usage = defineVerb({
  takes: 'usage',
  means: 'what the core still serves and why, and the paths that are not in the route table',
  flags: {},
  async run(_, send) {
    const json = await send(UsageResponse, 'GET', '/api/core-usage')
    return { json, text: formatUsage(json) }
  },
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
  async run({ values, fail }, send) {
    if (values.markdown && values.json) fail('use either --markdown or --json')
    const query = formatQuery({ month: values.month })
    const json = await send(MigrationReport, 'GET', `/api/report${query}`)
    return { json, text: values.markdown ? formatReportMarkdown(json).trimEnd() : formatReport(json) }
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
  async run({ values, operandAt, fail }, send) {
    const { limit, before } = values
    if (
      limit !== undefined &&
      !(isWholeNumber(limit) && Number(limit) >= 1 && Number(limit) <= maxAuditEntries)
    )
      fail(`--limit must be a whole number from 1 to ${maxAuditEntries}`)
    if (before !== undefined && !isWholeNumber(before))
      fail('--before must be a whole number up to 2147483647')
    const query = formatQuery({ scope: operandAt(0), limit, before })
    const json = await send(AuditResponse, 'GET', `/api/audit${query}`)
    return { json, text: formatAudit(json) }
  },
})

export const readVerbs = { list, explain, account, evidence, usage, report, audit }
