import { html } from 'hono/html'
import type { AuditEntries } from '../api-types.ts'
import { renderEmpty, renderScopeLink, renderTime } from './html.ts'

type Entry = AuditEntries['entries'][number]

const renderEntry = (entry: Entry) =>
  html`<tr><td data-name="When">${renderTime(entry.at)}</td><td data-name="Who">${entry.who}</td><td data-name="Scope">${renderScopeLink(entry.scope)}</td><td data-name="Action">${entry.action}</td><td data-name="State">${entry.move.replace('->', '→')}</td><td data-name="Reason">${entry.reason}</td><td data-name="Epoch" class="number small">${entry.epoch}</td></tr>`

export const renderAuditTable = (entries: readonly Entry[], isFiltered = false) =>
  entries.length === 0
    ? isFiltered
      ? renderEmpty('No change matches.', 'Change the filter, or show all.')
      : renderEmpty('No changes yet.', 'Each change appears here, with its reason.')
    : html`<table class="stacked audit"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Scope</th><th scope="col">Action</th><th scope="col">State</th><th scope="col">Reason</th><th scope="col" class="number">Epoch</th></tr></thead><tbody>${entries.map(renderEntry)}</tbody></table>`
