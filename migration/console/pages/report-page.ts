import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import { formatReportMarkdown } from '../../model/report/format-markdown.ts'
import { titleReport } from '../../model/report/report-tables.ts'
import type { Report } from '../api-types.ts'
import type { ConsoleEnv } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { renderReport } from '../views/report-view.ts'

const formats = {
  md: { type: 'text/markdown; charset=utf-8', format: (report: Report) => formatReportMarkdown(report) },
  json: {
    type: 'application/json; charset=utf-8',
    format: (report: Report) => JSON.stringify(report, null, 2),
  },
} as const

const renderControls = ({ month, madeAt }: Report) =>
  html`<div class="row between screen controls"><form class="row" method="get" action="/console/report"><label>Month (UTC)<input type="month" name="month" value="${month}" max="${madeAt.slice(0, 7)}" pattern="\\d{4}-\\d{2}" required></label><button>Show</button></form><p class="row"><a href="/console/report.md?month=${month}" download>Markdown</a><a href="/console/report.json?month=${month}" download>JSON</a></p></div>`

/** Creates the page of the report of a month, for print and as a file. */
export const createReportPages = ({ api, respond }: ConsoleTools): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()

  const read = (context: ConsoleContext) => {
    const month = context.req.query('month')
    const query = month ? `?${new URLSearchParams({ month })}` : ''
    return api.read<Report>(context.get('operator'), `/api/report${query}`)
  }

  app.get('/console/report', async (context) => {
    const report = await read(context)
    return respond.page(context, {
      title: titleReport(report),
      section: '/console/report',
      body: html`<div class="report">${renderControls(report)}${renderReport(report)}</div>`,
    })
  })

  for (const [extension, { type, format }] of Object.entries(formats))
    app.get(`/console/report.${extension}`, async (context) => {
      const report = await read(context)
      return createPageResponse(format(report), {
        'content-type': type,
        'content-disposition': `attachment; filename="migration-${report.month}.${extension}"`,
      })
    })
  return app
}
