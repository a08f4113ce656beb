import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { Account, Overrides } from '../api-types.ts'
import type { ConsoleEnv } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { renderAccountSides } from '../views/account-sides.ts'
import { renderEmpty } from '../views/html.ts'
import { renderOverrideForm, renderOverrideTable } from '../views/override-view.ts'

const renderAccountForm = (account: string) =>
  html`<form class="row filter" method="get" action="/console/accounts" role="search"><label>Account<input name="account" value="${account}" placeholder="acct_…" maxlength="128" required></label><button class="primary">Show</button>${account && html`<a href="/console/accounts">All overrides</a>`}</form>`

const renderOverrides = (overrides: Overrides['overrides'], account: string, mayChange: boolean) =>
  html`<h2>Overrides</h2>${
    overrides.length === 0
      ? renderEmpty(
          account === '' ? 'No account has an override.' : `${account} has no override.`,
          'An override has one side serve an account, whatever the percentage of its routes is.',
        )
      : renderOverrideTable(overrides, mayChange)
  }${mayChange && renderOverrideForm(account)}`

/** Creates the pages that say which side serves an account, and select one for it. */
export const createAccountPages = ({ api, respond }: ConsoleTools): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()

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
  return app
}
