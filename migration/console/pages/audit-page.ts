import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { routeScopes } from '../../model/route-scope.ts'
import type { AuditEntries } from '../api-types.ts'
import type { ConsoleEnv } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderAuditTable } from '../views/audit-table.ts'

const pageSize = 50

const renderFilter = (scope: string) =>
  html`<form class="row filter" method="get" action="/console/audit" role="search"><label>Route, area.*, * or instance<input name="scope" list="scopes" value="${scope}" maxlength="128"></label><button>Filter</button>${scope && html`<a href="/console/audit">Show all</a>`}<datalist id="scopes">${routeScopes.map((each) => html`<option value="${each}"></option>`)}</datalist></form>`

/** Creates the page of all changes. */
export const createAuditPages = ({ api, respond }: ConsoleTools): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()
  app.get('/console/audit', async (context) => {
    const { scope = '', before } = context.req.query()
    const filter = new URLSearchParams(scope === '' ? {} : { scope })
    const query = new URLSearchParams({ limit: String(pageSize), ...Object.fromEntries(filter) })
    if (before) query.set('before', before)
    const { entries } = await api.read<AuditEntries>(context.get('operator'), `/api/audit?${query}`)
    const last = entries.at(-1)
    const isFull = entries.length >= pageSize && last !== undefined && last.epoch > 1
    if (last) filter.set('before', String(last.epoch))
    return respond.page(context, {
      title: 'Audit',
      section: '/console/audit',
      // The newest page only: the others do not change.
      isLive: !before,
      body: html`${renderFilter(scope)}${renderAuditTable(entries)}<p class="row">${before && html`<a href="/console/audit${scope && html`?${new URLSearchParams({ scope })}`}">Newest changes</a>`}${isFull && html`<a class="end" rel="next" href="/console/audit?${filter}">Older changes</a>`}</p>`,
    })
  })
  return app
}
