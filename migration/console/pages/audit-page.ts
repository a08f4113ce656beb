import { html } from 'hono/html'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import { formatQuery } from '../../api/format-query.ts'
import type { Operator } from '../../api/operator-options.ts'
import type { AuditEntry } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderEmpty, renderScopeLink, renderScopeList, renderTime, toInstant } from '../views/html.ts'

type StoredEntry = Omit<AuditEntry, 'move'>

const columns = ['at', 'who', 'scope', 'action', 'before', 'after', 'reason', 'epoch'] as const

const toText = (value: StoredEntry[(typeof columns)[number]]) =>
  value === null || typeof value === 'string' ? (value ?? '') : JSON.stringify(value)

const formula = /^[=+\-@\t\r\n]/

const toCell = (text: string) => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** Formats changes as CSV (RFC 4180), with an apostrophe before any text that a spreadsheet would run as a formula. */
export const formatAuditCsv = (entries: readonly StoredEntry[]): string =>
  [columns.join(','), ...entries.map((entry) => columns.map((name) => toCell(toText(entry[name]))).join(','))]
    .map((line) => `${line}\r\n`)
    .join('')

const formatAuditLines = (entries: readonly AuditEntry[]): string =>
  entries.map(({ move: _, ...stored }) => `${JSON.stringify(stored)}\n`).join('')

const renderEntry = (entry: AuditEntry) =>
  html`<tr><td data-name="When">${renderTime(entry.at)}</td><td data-name="Who">${entry.who}</td><td data-name="Scope">${renderScopeLink(entry.scope)}</td><td data-name="Action">${entry.action}</td><td data-name="State">${entry.move.replace('->', '→')}</td><td data-name="Reason">${entry.reason}</td><td data-name="Epoch" class="number small">${entry.epoch}</td></tr>`

export const renderAuditTable = (entries: readonly AuditEntry[], isFiltered = false) =>
  entries.length === 0
    ? isFiltered
      ? renderEmpty('No change matches.', 'Change the filter, or show all.')
      : renderEmpty('No changes yet.', 'Each change appears here, with its reason.')
    : html`<table class="stacked audit"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Scope</th><th scope="col">Action</th><th scope="col">State</th><th scope="col">Reason</th><th scope="col" class="number">Epoch</th></tr></thead><tbody>${entries.map(renderEntry)}</tbody></table>`

const pageSize = 50
const exportPageSize = 200

const readFilter = ({ who = '', scope = '', action = '', from = '', to = '' }: Record<string, string>) => ({
  who: who.trim(),
  scope: scope.trim(),
  action: action.trim(),
  from: from.trim(),
  to: to.trim(),
})

type Filter = ReturnType<typeof readFilter>

const renderFilter = (filter: Filter) => {
  const query = formatQuery(filter)
  return html`<form class="row filter" id="audit-filter" method="get" action="/console/audit" role="search">
<label>Operator<input name="who" value="${filter.who}" maxlength="128"></label>
<label>Route, area.*, * or instance<input name="scope" list="scopes" value="${filter.scope}" maxlength="128"></label>
<label>Action<input name="action" value="${filter.action}" maxlength="64"></label>
<label>From (UTC)<input type="datetime-local" name="from" value="${filter.from}"></label>
<label>To (UTC)<input type="datetime-local" name="to" value="${filter.to}"></label>
<button>Filter</button>${query !== '' && html`<a href="/console/audit">Show all</a>`}
${renderScopeList()}</form>
<p class="row small"><a href="/console/audit.csv${query}" download>Download as CSV</a><a href="/console/audit.jsonl${query}" download>Download as JSON lines</a></p>`
}

const exports = {
  csv: { type: 'text/csv; charset=utf-8', format: formatAuditCsv },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', format: formatAuditLines },
} as const

export const mountAuditPages = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  const read = (operator: Operator, filter: Filter, limit: number, before?: string | number) => {
    const [from, to] = [toInstant(filter.from), toInstant(filter.to)]
    const query = formatQuery({ ...filter, from, to, limit, before })
    return api.read<{ entries: readonly AuditEntry[] }>(operator, `/api/audit${query}`)
  }

  app.get('/console/audit', async (context) => {
    const { before, ...asked } = context.req.query()
    const filter = readFilter(asked)
    const { entries } = await read(context.get('operator'), filter, pageSize, before)
    const last = entries.at(-1)
    const isFull = entries.length >= pageSize && last !== undefined && last.epoch > 1
    return respond.page(context, {
      title: 'Audit',
      section: '/console/audit',
      // Older pages never change.
      isLive: !before,
      body: html`${renderFilter(filter)}${renderAuditTable(entries, formatQuery(filter) !== '')}<p class="row">${before && html`<a href="/console/audit${formatQuery(filter)}">Newest changes</a>`}${isFull && html`<a class="end" rel="next" href="/console/audit${formatQuery({ ...filter, before: last.epoch })}">Older changes</a>`}</p>`,
    })
  })

  const readAll = async (operator: Operator, filter: Filter) => {
    const all: AuditEntry[] = []
    for (;;) {
      const { entries } = await read(operator, filter, exportPageSize, all.at(-1)?.epoch)
      all.push(...entries)
      if (entries.length < exportPageSize) return all
    }
  }

  for (const [extension, { type, format }] of Object.entries(exports))
    app.get(`/console/audit.${extension}`, async (context) => {
      const entries = await readAll(context.get('operator'), readFilter(context.req.query()))
      return createPageResponse(format(entries), {
        'content-type': type,
        'content-disposition': `attachment; filename="audit.${extension}"`,
      })
    })
}
