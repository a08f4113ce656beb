import { Hono } from 'hono/tiny'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { formatReportMarkdown } from '#migration/routing/report/format-markdown.ts'
import { createPageResponse } from '../../pages/page-app.ts'
import { requireRole } from '../operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from '../operator-options.ts'
import { ReportQuery, validate } from '../requests.ts'
import { sendJson } from '../route-endpoints.ts'
import { readReport } from './read-report.ts'

/** The endpoints of the report about the migration, as JSON and as Markdown. */
export const createReportEndpoints = (options: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()
  // The clock of the audit.
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
  return app
}
