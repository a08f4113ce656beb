import { invalid } from '#contracts/errors.ts'
import { listCoreUsageOfDays } from '#db/queries/core-usage.ts'
import { listStateChanges } from '#db/queries/route-audit.ts'
import { buildReport } from '#migration/routing/report/build-report.ts'
import type { MigrationReport } from '#migration/routing/report/migration-report.ts'
import {
  dayMs,
  findReportTime,
  formatDay,
  monthOf,
  parseMonth,
} from '#migration/routing/report/report-month.ts'
import { describeInstance, readStates } from '../describe-instance.ts'
import type { OperatorApiOptions } from '../operator-options.ts'

const usageDays = 7

const requireMonth = (text: string, now: number) => {
  const month = parseMonth(text)
  if (month === null) throw invalid('month', 'must be a month such as 2026-11')
  if (month.from > now) throw invalid('month', 'must not be in the future')
  return month
}

/**
 * The report of a month, by default of the present one; `now` is in milliseconds since the epoch of Unix. Throws
 * `validation_error` if it is no month, or in the future.
 */
export const readReport = async (
  options: OperatorApiOptions,
  { month: text, now }: { readonly month: string | undefined; readonly now: number },
): Promise<MigrationReport> => {
  const month = requireMonth(text ?? monthOf(now), now)
  const reportTime = findReportTime(month, now)
  const days = { from: formatDay(reportTime - (usageDays - 1) * dayMs), to: formatDay(reportTime) }
  return options.database.db.transaction(
    async (tx) => {
      const { states, invalid: invalidRows } = await readStates(tx)
      const unreadable = invalidRows.map(({ scope }) => scope)
      return buildReport({
        month,
        now,
        states,
        unreadable,
        audit: await listStateChanges(tx),
        usage: await listCoreUsageOfDays(tx, days),
        instance: describeInstance(options, unreadable),
      })
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}
