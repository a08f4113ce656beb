import { html } from 'hono/html'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { mountConfirmedChange } from './confirmed-change.ts'

const path = '/console/accept-restore'

export const mountRestorePage = (app: ConsoleApp, tools: ConsoleTools): void =>
  mountConfirmedChange(app, tools, {
    path,
    read: (fields) => fields.get('reason') ?? '',
    describe: (reason) => ({
      title: 'Accept the restored database',
      section: '/console',
      action: path,
      fields: {},
      button: 'Accept',
      isDangerous: false,
      back: '/console',
      reason,
      effect: html`<p>First check the routes’ percentages, because they come from the backup. After you accept, automation continues from there. Kills and stops remain.</p>`,
    }),
    toRequest: (reason) => ({ method: 'POST', path: '/api/accept-restore', body: { reason } }),
    finish: () => ({ title: 'Restored database accepted.', next: '/console' }),
  })
