import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { isAllowed } from '../../operators/operator-middleware.ts'
import type { Overrides } from '../api-types.ts'
import type { ConsoleEnv } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderEmpty } from '../views/html.ts'
import { renderOverrideForm, renderOverrideTable } from '../views/override-view.ts'

const renderAccountForm = (account: string) =>
  html`<form class="row filter" method="get" action="/console/accounts" role="search"><label>Account<input name="account" value="${account}" placeholder="acct_…" maxlength="128" required></label><button class="primary">Show</button>${account && html`<a href="/console/accounts">All overrides</a>`}</form>`

/** Creates the page that says which side serves an account, and selects one for it. */
export const createAccountPages = ({ api, respond }: ConsoleTools): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()
  app.get('/console/accounts', async (context) => {
    const operator = context.get('operator')
    const account = (context.req.query('account') ?? '').trim()
    const query = account === '' ? '' : `?${new URLSearchParams({ account })}`
    const { overrides } = await api.read<Overrides>(operator, `/api/overrides${query}`)
    const mayChange = isAllowed(operator, 'change')
    return respond.page(context, {
      title: account === '' ? 'Accounts' : account,
      section: '/console/accounts',
      isLive: account !== '',
      body: html`${renderAccountForm(account)}
<h2>Overrides</h2>${
        overrides.length === 0
          ? renderEmpty(
              account === '' ? 'No account has an override.' : `${account} has no override.`,
              'An override has one side serve an account, whatever the share of its routes is.',
            )
          : renderOverrideTable(overrides, mayChange)
      }${mayChange && renderOverrideForm(account)}`,
    })
  })
  return app
}
