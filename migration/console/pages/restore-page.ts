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

const path = '/console/accept-restore'

/** Mounts the page where an operator accepts a database restored from an older backup. */
export const mountRestorePage = (app: ConsoleApp, { api, sessions, respond }: ConsoleTools): void => {
  const confirm = (context: ConsoleContext, reason: string, problem?: ApiFailure) =>
    respond.page(context, {
      title: 'Accept the restored database',
      section: '/console',
      status: problem?.status ?? 200,
      body: renderConfirmation({
        action: path,
        fields: {},
        button: 'Accept',
        isDangerous: false,
        back: '/console',
        reason,
        problem: problem?.message ?? null,
        effect: html`<p>First check the routes’ percentages: they come from the backup. After you accept, automation continues from there. Kills and stops remain.</p>`,
      }),
    })

  app.get(path, requireChangeRole, (context) => confirm(context, context.req.query('reason') ?? ''))

  app.post(path, requireChangeRole, async (context) => {
    const reason = (await readForm(context)).get('reason') ?? ''
    try {
      const changed = await api.send<Changed>(context.get('operator'), 'POST', '/api/accept-restore', {
        reason,
      })
      keepNotice(context, sessions, describeChanged('Restored database accepted.', changed))
      return context.redirect('/console', 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, reason, error)
      throw error
    }
  })
}
