import { html } from 'hono/html'
import { isAllowed } from '../../api/operator-middleware.ts'
import { formatCount } from '../../model/gate/format-quantity.ts'
import type { Account, Overrides } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { renderBadge, renderEmpty, renderScopeLink, renderSide, renderTime } from '../views/html.ts'
import { renderOverrideForm, renderOverrideTable } from './override-page.ts'

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

const renderOverrides = (overrides: Overrides['overrides'], account: string, mayChange: boolean) =>
  html`<h2>Overrides</h2>${
    overrides.length === 0
      ? renderEmpty(
          account === '' ? 'No account has an override.' : `${account} has no override.`,
          'An override pins an account to one side, whatever the percentage.',
        )
      : renderOverrideTable(overrides, mayChange)
  }${mayChange && renderOverrideForm(account)}`

export const mountAccountPages = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  const showAll = async (context: ConsoleContext) => {
    const operator = context.get('operator')
    const { overrides } = await api.read<Overrides>(operator, '/api/overrides')
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
      body: html`${renderAccountForm(accountId)}${account.warnings.map((warning) => html`<p class="notice warn">${warning}</p>`)}${renderOverrides(account.overrides, accountId, isAllowed(operator, 'change'))}<h2>Routes</h2>${renderAccountSides(account)}`,
    })
  }

  app.get('/console/accounts', (context) => {
    const accountId = (context.req.query('account') ?? '').trim()
    return accountId === '' ? showAll(context) : showAccount(context, accountId)
  })
}
