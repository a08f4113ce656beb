import { html } from 'hono/html'
import { formatCount } from '#shared/format-quantity.ts'
import { formatQuery } from '../../api/format-query.ts'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { Account, Override } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import {
  renderAlert,
  renderBadge,
  renderEmpty,
  renderOptions,
  renderScopeLink,
  renderScopeList,
  renderSide,
  renderTime,
  toInstant,
} from '../views/html.ts'
import { mountConfirmedChange } from './confirmed-change.ts'

type AccountRoute = Account['routes'][number]

const describeSince = ({ since, isDecidedByLink }: AccountRoute) => {
  if (isDecidedByLink) return 'depends on the link'
  return since === null ? 'since the beginning' : renderTime(since)
}

const renderRow = (route: AccountRoute) => {
  const { label, side, isDecidedByLink, bucket, sentences } = route
  const shown = isDecidedByLink ? renderBadge('by link') : renderSide(side ?? 'none')
  return html`<tr><th scope="row">${renderScopeLink(label)}</th><td data-name="Side">${shown}</td><td data-name="Since">${describeSince(route)}</td><td data-name="Bucket" class="number">${bucket === null ? '–' : formatCount(bucket)}</td><td><details><summary>Why</summary>${sentences.map((sentence) => html`<p class="small">${sentence}</p>`)}</details></td></tr>`
}

const countSides = (routes: readonly AccountRoute[]) => ({
  native: routes.filter(({ side, isDecidedByLink }) => !isDecidedByLink && side === 'native').length,
  core: routes.filter(({ side, isDecidedByLink }) => !isDecidedByLink && side === 'core').length,
  byLink: routes.filter(({ isDecidedByLink }) => isDecidedByLink).length,
})

const renderAccountSides = ({ routes }: Account) => {
  const { native, core, byLink } = countSides(routes)
  return html`<ul class="figures"><li><b>${native}</b>routes served by native</li><li><b>${core}</b>by the core</li><li><b>${byLink}</b>depend on a share link</li></ul>
<p class="small muted">Each area puts an account into a bucket from 0 to 9,999. Native serves the account if its bucket is below the route’s percentage (5 % is 500 buckets).</p>
<table class="stacked"><thead><tr><th scope="col">Route</th><th scope="col">Side</th><th scope="col">Since</th><th scope="col" class="number">Bucket</th><th scope="col">Why</th></tr></thead><tbody>${routes.map(renderRow)}</tbody></table>`
}

const renderAccountForm = (account: string) =>
  html`<form class="row filter" method="get" action="/console/accounts" role="search"><label>Account<input name="account" value="${account}" placeholder="acct_…" maxlength="128" required></label><button class="primary">Show</button>${account && html`<a href="/console/accounts">All overrides</a>`}</form>`

const overridePath = '/console/accounts/override'

const accountPath = (account: string) => `/console/accounts${formatQuery({ account })}`

const removalPath = ({ accountId, scope }: Override) =>
  overridePath + formatQuery({ account: accountId, scope, side: 'none' })

const renderOverride = (override: Override, mayChange: boolean) => {
  const { accountId, scope, side, until, who, reason } = override
  return html`<tr><th scope="row"><a href="${accountPath(accountId)}">${accountId}</a></th><td data-name="Scope">${renderScopeLink(scope)}</td><td data-name="Side">${renderSide(side)}</td><td data-name="Ends">${until === null ? 'when removed' : renderTime(until)}</td><td data-name="Who">${who}</td><td data-name="Reason">${reason}</td>${mayChange && html`<td><a class="button small" href="${removalPath(override)}">Remove<span class="hidden"> ${accountId} for ${scope}</span></a></td>`}</tr>`
}

const renderOverrideTable = (overrides: readonly Override[], mayChange: boolean) =>
  html`<table class="stacked"><thead><tr><th scope="col">Account</th><th scope="col">Scope</th><th scope="col">Side</th><th scope="col">Ends</th><th scope="col">Who</th><th scope="col">Reason</th>${mayChange && html`<th scope="col"><span class="hidden">Action</span></th>`}</tr></thead><tbody>${overrides.map((override) => renderOverride(override, mayChange))}</tbody></table>`

const renderOverrideForm = (account: string) =>
  html`<section class="panel" aria-labelledby="override"><h2 id="override">Override an account</h2><form class="row" method="get" action="${overridePath}">
<label>Account<input name="account" value="${account}" maxlength="128" required></label>
<label>Route, area.* or *<input name="scope" list="scopes" maxlength="128" required></label>
<label>Side<select name="side">${renderOptions(
    ['core', 'native'].map((side) => [side, side]),
    'core',
  )}</select></label>
<label>Until (UTC; empty: until removed)<input type="datetime-local" name="until"></label>
<button>Override</button>${renderScopeList()}</form></section>`

const renderOverrides = (overrides: readonly Override[], account: string, mayChange: boolean) =>
  html`<h2>Overrides</h2>${
    overrides.length === 0
      ? renderEmpty(
          account === '' ? 'No account has an override.' : `${account} has no override.`,
          'An override pins an account to one side, whatever the percentage.',
        )
      : renderOverrideTable(overrides, mayChange)
  }${mayChange && renderOverrideForm(account)}`

interface RequestedOverride {
  readonly account: string
  readonly scope: string
  /** `none` removes the override. */
  readonly side: string
  readonly until: string | undefined
}

const readOverride = (fields: ReadonlyMap<string, string>): RequestedOverride => ({
  account: fields.get('account') ?? '',
  scope: fields.get('scope') ?? '',
  side: fields.get('side') ?? '',
  until: fields.get('until') || undefined,
})

const toRequest = ({ account: accountId, scope, side, until }: RequestedOverride) => {
  const path = '/api/overrides'
  const key = { accountId, scope }
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

const mountOverridePage = (app: ConsoleApp, tools: ConsoleTools): void =>
  mountConfirmedChange(app, tools, {
    path: overridePath,
    section: '/console/accounts',
    read: readOverride,
    describe: (requested) => {
      const { account, side } = requested
      return {
        title: side === 'none' ? `Remove the override for ${account}` : `Override ${account}: ${side}`,
        fields: { ...requested },
        button: side === 'none' ? 'Remove override' : 'Override',
        effect: html`<p>${describeOverride(requested)}</p>`,
      }
    },
    toRequest,
    describeDone: describeOverride,
    back: ({ account }) => accountPath(account),
  })

export const mountAccountPages = (app: ConsoleApp, tools: ConsoleTools): void => {
  const { api, respond } = tools
  const showAll = async (context: ConsoleContext) => {
    const operator = context.get('operator')
    const { overrides } = await api.read<{ overrides: readonly Override[] }>(operator, '/api/overrides')
    return respond.page(context, {
      title: 'Accounts',
      section: '/console/accounts',
      body: html`${renderAccountForm('')}${renderOverrides(overrides, '', isAllowed(operator, 'change'))}`,
    })
  }

  const showAccount = async (context: ConsoleContext, accountId: string) => {
    const operator = context.get('operator')
    const account = await api.read<Account>(operator, `/api/accounts/${encodeURIComponent(accountId)}`)
    return respond.page(context, {
      title: accountId,
      section: '/console/accounts',
      isLive: true,
      body: html`${renderAccountForm(accountId)}${account.warnings.map((warning) => renderAlert('warn', warning))}${renderOverrides(account.overrides, accountId, isAllowed(operator, 'change'))}<h2>Routes</h2>${renderAccountSides(account)}`,
    })
  }

  app.get('/console/accounts', (context) => {
    const accountId = (context.req.query('account') ?? '').trim()
    return accountId === '' ? showAll(context) : showAccount(context, accountId)
  })

  mountOverridePage(app, tools)
}
