import { html } from 'hono/html'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import { formatQuery } from '../../api/format-query.ts'
import {
  describeReportTime,
  formatReportMarkdown,
  listReportTables,
  type ReportTable,
  titleReport,
} from '../../model/report/report-tables.ts'
import { isRouteScope } from '../../model/route-scope.ts'
import type { Report } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { renderStateChart } from '../views/charts.ts'
import { renderScopeLink, renderSentences } from '../views/html.ts'

const renderFirstCell = (cell: string) =>
  html`<th scope="row">${isRouteScope(cell) ? renderScopeLink(cell) : cell}</th>`

const renderRow = (cells: readonly string[], columns: ReportTable['columns']) => {
  const [first = '', ...others] = cells
  return html`<tr>${renderFirstCell(first)}${others.map(
    (cell, index) =>
      html`<td data-name="${columns[index + 1]?.name}" class="${columns[index + 1]?.kind ?? ''}">${cell}</td>`,
  )}</tr>`
}

const renderTable = ({ title, columns, rows, empty }: ReportTable) =>
  html`<h2>${title}</h2>${
    rows.length === 0
      ? html`<p class="muted">${empty}</p>`
      : html`<table class="stacked"><thead><tr>${columns.map(({ name, kind = '' }) => html`<th scope="col" class="${kind}">${name}</th>`)}</tr></thead><tbody>${rows.map((cells) => renderRow(cells, columns))}</tbody></table>`
  }`

const renderFigures = ({ rows, remaining, moves, stops }: Report) =>
  html`<ul class="figures"><li><b>${rows - remaining.rows} of ${rows}</b>routes fully served by native</li><li><b>${remaining.rows}</b>still need the core</li><li><b>${moves.length}</b>moved in this month</li><li><b>${stops.length}</b>stops in this month</li></ul>`

const renderReport = (report: Report) => {
  const { summary, limits } = report.sentences
  return html`<p class="muted">${describeReportTime(report)}</p>${renderFigures(report)}${renderSentences(summary)}<div class="plots">${renderStateChart(report)}</div>${listReportTables(report).map(renderTable)}<h2>What this report leaves out</h2>${renderSentences(limits)}`
}

const formats = {
  md: { type: 'text/markdown; charset=utf-8', format: (report: Report) => formatReportMarkdown(report) },
  json: {
    type: 'application/json; charset=utf-8',
    format: (report: Report) => JSON.stringify(report, null, 2),
  },
} as const

const renderControls = ({ month, madeAt }: Report) =>
  html`<div class="row between screen controls"><form class="row" method="get" action="/console/report"><label>Month (UTC)<input type="month" name="month" value="${month}" max="${madeAt.slice(0, 7)}" pattern="\\d{4}-\\d{2}" required></label><button>Show</button></form><p class="row"><a href="/console/report.md?month=${month}" download>Markdown</a><a href="/console/report.json?month=${month}" download>JSON</a></p></div>`

export const mountReportPages = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  const read = (context: ConsoleContext) => {
    const query = formatQuery({ month: context.req.query('month') })
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
}
