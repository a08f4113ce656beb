import { html } from 'hono/html'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { Instances } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { type BadgeKind, formatAge, renderBadge, renderEmpty } from '../views/html.ts'
import { mountConfirmedChange } from './confirmed-change.ts'

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

export const mountInstancePages = (app: ConsoleApp, tools: ConsoleTools): void => {
  const { api, respond } = tools

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

  mountConfirmedChange(app, tools, {
    path: '/console/instances/:id/forget',
    section: '/console/instances',
    read: (_, { req }) => req.param('id') ?? '',
    describe: (id) => ({
      title: 'Forget an instance',
      button: 'Forget',
      isDangerous: true,
      effect: html`<p>Changes no longer wait for <code>${id}</code>. Forget it only if its process has ended: otherwise it may still be serving an older state.</p>`,
    }),
    toRequest: (id) => ({ method: 'DELETE', path: `/api/instances/${encodeURIComponent(id)}` }),
    describeDone: (id) => `${id} is forgotten.`,
    back: () => '/console/instances',
  })
}
