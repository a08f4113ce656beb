import { html } from 'hono/html'
import { ApiFailure } from '../api-client.ts'
import type { Changed } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { keepNotice } from '../session/cookies.ts'
import { readForm } from '../session/read-form.ts'
import { requireChangeRole } from '../session/require-role.ts'
import { describeChanged } from '../views/change-outcome.ts'
import { renderConfirmation } from '../views/confirmation.ts'
import { accountPath, overridePath } from '../views/override-view.ts'

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
  const key = { accountId, scope, reason }
  if (side === 'none') return { method: 'DELETE', body: key }
  const end = until !== undefined && minutes.test(until) ? `${until}:00Z` : (until ?? null)
  return { method: 'PUT', body: { ...key, side, until: end } }
}

const describeOverride = ({ account, scope, side, until }: RequestedOverride) =>
  side === 'none'
    ? `${account} no longer has an override for ${scope}: the percentage decides again.`
    : `${side === 'core' ? 'The core' : 'Native'} serves ${account} for ${scope}, ${until ? `until ${until} UTC` : 'until the override is removed'}. A kill still overrides it.`

export const mountOverridePages = (app: ConsoleApp, { api, sessions, respond }: ConsoleTools): void => {
  const confirm = (context: ConsoleContext, requested: RequestedOverride, problem?: ApiFailure) => {
    const { account, scope, side, until, reason } = requested
    return respond.page(context, {
      title: side === 'none' ? `Remove the override of ${account}` : `Override ${account}: ${side}`,
      section: '/console/accounts',
      status: problem?.status ?? 200,
      body: renderConfirmation({
        action: overridePath,
        fields: { account, scope, side, until },
        button: side === 'none' ? 'Remove override' : 'Override',
        isDangerous: false,
        back: account === '' ? '/console/accounts' : accountPath(account),
        reason,
        problem: problem?.message ?? null,
        effect: html`<p>${describeOverride(requested)}</p>`,
      }),
    })
  }

  app.get(overridePath, requireChangeRole, (context) =>
    confirm(context, readOverride(new Map(Object.entries(context.req.query())))),
  )

  app.post(overridePath, requireChangeRole, async (context) => {
    const requested = readOverride(await readForm(context))
    try {
      const { method, body } = toRequest(requested)
      const changed = await api.send<Changed>(context.get('operator'), method, '/api/overrides', body)
      keepNotice(context, sessions, describeChanged(describeOverride(requested), changed))
      return context.redirect(accountPath(requested.account), 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, requested, error)
      throw error
    }
  })
}
