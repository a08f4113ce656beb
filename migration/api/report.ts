import * as z from 'zod'
import { invalid } from '#contracts/errors.ts'
import { listCoreUsageOfDays } from '#db/queries/routing/core-usage.ts'
import { listStateChanges } from '#db/queries/routing/route-audit.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import { dayMs } from '#shared/durations.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { readSnapshot } from '../control/open-routing-database.ts'
import { buildReport } from '../model/report/build-report.ts'
import type { MigrationReport } from '../model/report/migration-report.ts'
import { findReportTime, monthOf, parseMonth } from '../model/report/report-month.ts'
import { formatReportMarkdown } from '../model/report/report-tables.ts'
import { describeInstance, readStates } from './describe-instance.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { sendJson, validate } from './requests.ts'

const ReportQuery = z.strictObject({
  month: z.string().optional(),
})

const usageDays = 7

const requireMonth = (text: string, now: number) => {
  const month = parseMonth(text)
  if (month === null) throw invalid('month', 'must be a month such as 2026-11')
  if (month.from > now) throw invalid('month', 'must not be in the future')
  return month
}

/** `now` is in Unix milliseconds. Throws `validation_error` for an invalid or future month. */
export const readReport = async (
  options: OperatorApiOptions,
  { month: text, now }: { readonly month: string | undefined; readonly now: number },
): Promise<MigrationReport> => {
  const month = requireMonth(text ?? monthOf(now), now)
  const reportTime = findReportTime(month, now)
  const days = { from: formatDay(reportTime - (usageDays - 1) * dayMs), to: formatDay(reportTime) }
  return readSnapshot(options.database.db, async (tx) => {
    const { states, unreadable } = await readStates(tx)
    return buildReport({
      month,
      now,
      states,
      unreadable,
      audit: await listStateChanges(tx),
      usage: await listCoreUsageOfDays(tx, days),
      instance: describeInstance(options, unreadable),
    })
  })
}

export const mountReport = (app: OperatorApp, options: OperatorApiOptions): void => {
  // Uses the database's clock, as the audit does.
  const read = async (month: string | undefined) =>
    readReport(options, { month, now: await findDatabaseTimeMs(options.database.reader) })

  app.get('/api/report', requireRole('read'), validate('query', ReportQuery), async ({ req }) =>
    sendJson(await read(req.valid('query').month)),
  )

  app.get('/api/report.md', requireRole('read'), validate('query', ReportQuery), async ({ req }) =>
    createPageResponse(formatReportMarkdown(await read(req.valid('query').month)), {
      'content-type': 'text/markdown; charset=utf-8',
    }),
  )
}
