import { html } from 'hono/html'
import { routeScopes } from '../../model/route-scope.ts'
import type { Overrides } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderOptions, renderScopeLink, renderSide, renderTime, toInstant } from '../views/html.ts'
import { mountConfirmedChange } from './confirmed-change.ts'

type Override = Overrides['overrides'][number]

const overridePath = '/console/accounts/override'

const accountPath = (account: string) => `/console/accounts?${new URLSearchParams({ account })}`

const removalPath = ({ accountId, scope }: Override) =>
  `${overridePath}?${new URLSearchParams({ account: accountId, scope, side: 'none' })}`

const renderRow = (override: Override, mayChange: boolean) => {
  const { accountId, scope, side, until, who, reason } = override
  return html`<tr><th scope="row"><a href="${accountPath(accountId)}">${accountId}</a></th><td data-name="Scope">${renderScopeLink(scope)}</td><td data-name="Side">${renderSide(side)}</td><td data-name="Ends">${until === null ? 'when removed' : renderTime(until)}</td><td data-name="Who">${who}</td><td data-name="Reason">${reason}</td>${mayChange && html`<td><a class="button small" href="${removalPath(override)}">Remove<span class="hidden"> ${accountId} for ${scope}</span></a></td>`}</tr>`
}

export const renderOverrideTable = (overrides: Overrides['overrides'], mayChange: boolean) =>
  html`<table class="stacked"><thead><tr><th scope="col">Account</th><th scope="col">Scope</th><th scope="col">Side</th><th scope="col">Ends</th><th scope="col">Who</th><th scope="col">Reason</th>${mayChange && html`<th scope="col"><span class="hidden">Action</span></th>`}</tr></thead><tbody>${overrides.map((override) => renderRow(override, mayChange))}</tbody></table>`

export const renderOverrideForm = (account: string) =>
  html`<section class="panel" aria-labelledby="override"><h2 id="override">Override an account</h2><form class="row" method="get" action="${overridePath}">
<label>Account<input name="account" value="${account}" maxlength="128" required></label>
<label>Route, area.* or *<input name="scope" list="scopes" maxlength="128" required></label>
<label>Side<select name="side">${renderOptions(
    [
      ['core', 'core'],
      ['native', 'native'],
    ],
    'core',
  )}</select></label>
<label>Until (UTC; empty: until removed)<input type="datetime-local" name="until"></label>
<button>Override</button><datalist id="scopes">${routeScopes.map((scope) => html`<option value="${scope}"></option>`)}</datalist></form></section>`

interface RequestedOverride {
  readonly account: string
  readonly scope: string
  /** `none` removes the override. */
  readonly side: string
  readonly until: string | undefined
  readonly reason: string
}

const readOverride = (fields: ReadonlyMap<string, string>): RequestedOverride => ({
  account: fields.get('account') ?? '',
  scope: fields.get('scope') ?? '',
  side: fields.get('side') ?? '',
  until: fields.get('until') || undefined,
  reason: fields.get('reason') ?? '',
})

const toRequest = ({ account: accountId, scope, side, until, reason }: RequestedOverride) => {
  const path = '/api/overrides'
  const key = { accountId, scope, reason }
  if (side === 'none') return { method: 'DELETE', path, body: key }
  return {
    method: 'PUT',
    path,
    body: { ...key, side, until: until === undefined ? null : toInstant(until) },
  }
}

const describeOverride = ({ account, scope, side, until }: RequestedOverride) =>
  side === 'none'
    ? `${account} no longer has an override on ${scope}, so the percentage decides again.`
    : `${side === 'core' ? 'The core' : 'Native'} serves ${account} for ${scope}, ${until ? `until ${until} UTC` : 'until the override is removed'}. A kill still overrides it.`

export const mountOverridePage = (app: ConsoleApp, tools: ConsoleTools): void =>
  mountConfirmedChange(app, tools, {
    path: overridePath,
    read: readOverride,
    describe: (requested) => {
      const { account, scope, side, until, reason } = requested
      return {
        title: side === 'none' ? `Remove the override for ${account}` : `Override ${account}: ${side}`,
        section: '/console/accounts',
        action: overridePath,
        fields: { account, scope, side, until },
        button: side === 'none' ? 'Remove override' : 'Override',
        isDangerous: false,
        back: account === '' ? '/console/accounts' : accountPath(account),
        reason,
        effect: html`<p>${describeOverride(requested)}</p>`,
      }
    },
    toRequest,
    finish: (requested) => ({ title: describeOverride(requested), next: accountPath(requested.account) }),
  })
