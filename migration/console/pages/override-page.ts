import { html } from 'hono/html'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { accountPath, overridePath } from '../views/override-view.ts'
import { mountConfirmedChange } from './confirmed-change.ts'

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

// Format of a `datetime-local` field.
const minutes = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

const toRequest = ({ account: accountId, scope, side, until, reason }: RequestedOverride) => {
  const path = '/api/overrides'
  const key = { accountId, scope, reason }
  if (side === 'none') return { method: 'DELETE', path, body: key }
  const end = until !== undefined && minutes.test(until) ? `${until}:00Z` : (until ?? null)
  return { method: 'PUT', path, body: { ...key, side, until: end } }
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
