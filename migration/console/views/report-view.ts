import { html } from 'hono/html'
import type { ReportTable } from '../../model/report/report-table.ts'
import { describeReportTime, listReportTables } from '../../model/report/report-tables.ts'
import { isRouteScope } from '../../model/route-scope.ts'
import type { Report } from '../api-types.ts'
import { renderStateChart } from '../charts/state-chart.ts'
import { renderScopeLink, renderSentences } from './html.ts'

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
  html`<ul class="figures"><li><b>${rows - remaining.rows} of ${rows}</b>rows served by native in full</li><li><b>${remaining.rows}</b>still need the core</li><li><b>${moves.length}</b>moved in this month</li><li><b>${stops.length}</b>stops in this month</li></ul>`

/** The content of the page of a report. */
export const renderReport = (report: Report) => {
  const { summary, limits } = report.sentences
  return html`<p class="muted">${describeReportTime(report)}</p>${renderFigures(report)}${renderSentences(summary)}<div class="plots">${renderStateChart(report)}</div>${listReportTables(report).map(renderTable)}<h2>What this report does not know</h2>${renderSentences(limits)}`
}
