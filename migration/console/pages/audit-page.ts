import { html } from 'hono/html'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import type { Operator } from '../../api/operator-options.ts'
import { routeScopes } from '../../model/route-scope.ts'
import type { AuditEntries } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderEmpty, renderScopeLink, renderTime, toInstant } from '../views/html.ts'

type Entry = AuditEntries['entries'][number]
type StoredEntry = Omit<Entry, 'move'>

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

const formatAuditLines = (entries: readonly Entry[]): string =>
  entries.map(({ move: _, ...stored }) => `${JSON.stringify(stored)}\n`).join('')

const renderEntry = (entry: Entry) =>
  html`<tr><td data-name="When">${renderTime(entry.at)}</td><td data-name="Who">${entry.who}</td><td data-name="Scope">${renderScopeLink(entry.scope)}</td><td data-name="Action">${entry.action}</td><td data-name="State">${entry.move.replace('->', '→')}</td><td data-name="Reason">${entry.reason}</td><td data-name="Epoch" class="number small">${entry.epoch}</td></tr>`

export const renderAuditTable = (entries: readonly Entry[], isFiltered = false) =>
  entries.length === 0
    ? isFiltered
      ? renderEmpty('No change matches.', 'Change the filter, or show all.')
      : renderEmpty('No changes yet.', 'Each change appears here, with its reason.')
    : html`<table class="stacked audit"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Scope</th><th scope="col">Action</th><th scope="col">State</th><th scope="col">Reason</th><th scope="col" class="number">Epoch</th></tr></thead><tbody>${entries.map(renderEntry)}</tbody></table>`

const pageSize = 50
const exportPageSize = 200

const filterNames = ['who', 'scope', 'action', 'from', 'to'] as const

const readFilter = (asked: Record<string, string>) =>
  new URLSearchParams(
    filterNames.flatMap((name) => {
      const value = asked[name]?.trim()
      return value ? [[name, value]] : []
    }),
  )

const toApiQuery = (filter: URLSearchParams, limit: number, before: string | undefined) => {
  const query = new URLSearchParams(filter)
  for (const name of ['from', 'to']) {
    const text = query.get(name)
    if (text !== null) query.set(name, toInstant(text))
  }
  query.set('limit', String(limit))
  if (before) query.set('before', before)
  return query
}

const withQuery = (path: string, query: URLSearchParams) => (query.size === 0 ? path : `${path}?${query}`)

const renderFilter = (filter: URLSearchParams) => {
  const fieldOf = (name: (typeof filterNames)[number]) => filter.get(name) ?? ''
  return html`<form class="row filter" id="audit-filter" method="get" action="/console/audit" role="search">
<label>Operator<input name="who" value="${fieldOf('who')}" maxlength="128"></label>
<label>Route, area.*, * or instance<input name="scope" list="scopes" value="${fieldOf('scope')}" maxlength="128"></label>
<label>Action<input name="action" value="${fieldOf('action')}" maxlength="64"></label>
<label>From (UTC)<input type="datetime-local" name="from" value="${fieldOf('from')}"></label>
<label>To (UTC)<input type="datetime-local" name="to" value="${fieldOf('to')}"></label>
<button>Filter</button>${filter.size > 0 && html`<a href="/console/audit">Show all</a>`}
<datalist id="scopes">${routeScopes.map((each) => html`<option value="${each}"></option>`)}</datalist></form>
<p class="row small"><a href="${withQuery('/console/audit.csv', filter)}" download>Download as CSV</a><a href="${withQuery('/console/audit.jsonl', filter)}" download>Download as JSON lines</a></p>`
}

const exports = {
  csv: { type: 'text/csv; charset=utf-8', format: formatAuditCsv },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', format: formatAuditLines },
} as const

export const mountAuditPages = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  const read = (operator: Operator, filter: URLSearchParams, limit: number, before?: string) =>
    api.read<AuditEntries>(operator, `/api/audit?${toApiQuery(filter, limit, before)}`)

  app.get('/console/audit', async (context) => {
    const { before, ...asked } = context.req.query()
    const filter = readFilter(asked)
    const { entries } = await read(context.get('operator'), filter, pageSize, before)
    const last = entries.at(-1)
    const isFull = entries.length >= pageSize && last !== undefined && last.epoch > 1
    const older = new URLSearchParams(filter)
    if (last) older.set('before', String(last.epoch))
    return respond.page(context, {
      title: 'Audit',
      section: '/console/audit',
      // Older pages never change.
      isLive: !before,
      body: html`${renderFilter(filter)}${renderAuditTable(entries, filter.size > 0)}<p class="row">${before && html`<a href="${withQuery('/console/audit', filter)}">Newest changes</a>`}${isFull && html`<a class="end" rel="next" href="/console/audit?${older}">Older changes</a>`}</p>`,
    })
  })

  const readAll = async (operator: Operator, filter: URLSearchParams) => {
    const all: AuditEntries['entries'] = []
    for (;;) {
      const before = all.at(-1)?.epoch.toString()
      const { entries } = await read(operator, filter, exportPageSize, before)
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
