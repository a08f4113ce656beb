import { html } from 'hono/html'
import { isAllowed } from '../../api/operator-middleware.ts'
import { ApiFailure } from '../api-client.ts'
import type { Changed, Instances } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { keepNotice } from '../session/cookies.ts'
import { readForm } from '../session/read-form.ts'
import { requireChangeRole } from '../session/require-role.ts'
import { describeChanged } from '../views/change-outcome.ts'
import { renderConfirmation } from '../views/confirmation.ts'
import { formatAge } from '../views/format-time.ts'
import { type BadgeKind, renderBadge, renderEmpty } from '../views/html.ts'

const forgetPath = (id: string) => `/console/instances/${encodeURIComponent(id)}/forget`

const groups = [
  ['adopted', 'current', 'good'],
  ['missing', 'older epoch', 'warn'],
  ['unknown', 'does not report', 'bad'],
] as const satisfies readonly (readonly [string, string, BadgeKind])[]

const renderTable = (instances: Instances, mayChange: boolean) =>
  html`<table class="stacked"><thead><tr><th scope="col">Instance</th><th scope="col">State</th><th scope="col" class="number">Epoch</th><th scope="col">Last report</th>${mayChange && html`<th scope="col"><span class="hidden">Action</span></th>`}</tr></thead><tbody>${groups.flatMap(
    ([group, name, kind]) =>
      instances[group].map(
        ({ id, epoch, lastReportAgeS }) =>
          html`<tr><th scope="row"><code>${id}</code></th><td data-name="State">${renderBadge(name, kind)}</td><td data-name="Epoch" class="number">${epoch}</td><td data-name="Last report">${formatAge(1000 * lastReportAgeS)}</td>${mayChange && html`<td>${group === 'unknown' && html`<a class="button small" href="${forgetPath(id)}">Forget</a>`}</td>`}</tr>`,
      ),
  )}</tbody></table>`

export const mountInstancePages = (app: ConsoleApp, { api, sessions, respond }: ConsoleTools): void => {
  app.get('/console/instances', async (context) => {
    const operator = context.get('operator')
    const instances = await api.read<Instances>(operator, '/api/instances')
    const count = groups.reduce((sum, [group]) => sum + instances[group].length, 0)
    return respond.page(context, {
      title: 'Instances',
      section: '/console/instances',
      isLive: true,
      body: html`<p>The newest epoch is ${instances.epoch}. An instance that ended without signing off blocks promotions for two minutes, or until you forget it.</p>${
        count === 0
          ? renderEmpty('No instance has reported lately.', 'Running instances report every few seconds.')
          : renderTable(instances, isAllowed(operator, 'change'))
      }`,
    })
  })

  const confirm = (context: ConsoleContext, reason: string, problem?: ApiFailure) => {
    const id = context.req.param('id') ?? ''
    return respond.page(context, {
      title: 'Forget an instance',
      section: '/console/instances',
      status: problem?.status ?? 200,
      body: renderConfirmation({
        action: forgetPath(id),
        fields: {},
        button: 'Forget',
        isDangerous: true,
        back: '/console/instances',
        reason,
        problem: problem?.message ?? null,
        effect: html`<p>Changes no longer wait for <code>${id}</code>. Forget it only if its process has ended: otherwise it may still serve an older state.</p>`,
      }),
    })
  }

  app.get('/console/instances/:id/forget', requireChangeRole, (context) =>
    confirm(context, context.req.query('reason') ?? ''),
  )

  app.post('/console/instances/:id/forget', requireChangeRole, async (context) => {
    const id = context.req.param('id')
    const reason = (await readForm(context)).get('reason') ?? ''
    try {
      const path = `/api/instances/${encodeURIComponent(id)}`
      const changed = await api.send<Changed>(context.get('operator'), 'DELETE', path, { reason })
      keepNotice(context, sessions, describeChanged(`${id} is forgotten.`, changed))
      return context.redirect('/console/instances', 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, reason, error)
      throw error
    }
  })
}
