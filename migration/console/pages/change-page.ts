import { html } from 'hono/html'
import type { Operator } from '../../api/operator-options.ts'
import { ApiFailure } from '../api-client.ts'
import type { Explanation, Preview } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { renderKill } from '../views/change-forms.ts'
import { renderAlert, renderSentences, routePath } from '../views/html.ts'
import { type ChangeFields, changeTexts, toApiChange } from './change-request.ts'
import { mountConfirmedChange } from './confirmed-change.ts'

interface ChangeForm extends ChangeFields {
  readonly scope: string
  readonly version?: string | undefined
}

const readChange = (fields: ReadonlyMap<string, string>, { req }: ConsoleContext): ChangeForm => ({
  scope: req.param('scope') ?? '',
  kind: fields.get('kind') ?? '',
  percent: fields.get('percent'),
  mode: fields.get('mode'),
  minutes: fields.get('minutes'),
  version: fields.get('version'),
})

const describeTarget = ({ kind, percent, mode, minutes }: ChangeFields) => {
  if (kind === 'drill') return `${minutes}-minute drill of`
  if (kind === 'ramp') return `Native serves ${percent} % of`
  if (kind === 'mode') return `Mode ${mode} for`
  return changeTexts[kind]?.button ?? kind
}

const toBody = (requested: ChangeForm) => ({
  change: toApiChange(requested),
  ...(requested.version === undefined ? {} : { version: Number(requested.version) }),
})

const apiPath = (scope: string) => `/api/routes/${encodeURIComponent(scope)}`

// The form is prefilled with this reason, so that a kill takes only two keystrokes.
const killReason = 'killed from the console'

export const mountChangePage = (app: ConsoleApp, tools: ConsoleTools): void => {
  const { api } = tools

  // Uses the version that the previous form named or, if it named none, the current one, which this page shows.
  const chooseVersion = async (operator: Operator, { scope, version }: ChangeForm) =>
    version ?? String((await api.read<Explanation>(operator, apiPath(scope))).state.version)

  mountConfirmedChange(app, tools, {
    path: '/console/routes/:scope/change',
    section: '/console',
    read: readChange,
    async describe(given, operator) {
      const { scope, kind, percent, mode, minutes } = given
      const text = changeTexts[kind]
      if (!text) throw new ApiFailure(400, 'This is not a route change.')
      const version = await chooseVersion(operator, given)
      const proposed = toBody({ ...given, version })
      const preview = await api.send<Preview>(operator, 'POST', `${apiPath(scope)}/changes/preview`, proposed)
      return {
        title: `${describeTarget(given)} ${scope}`,
        fields: { kind, percent, mode, minutes, version },
        button: text.button,
        isDangerous: kind === 'kill' || kind === 'retire' || kind === 'drill',
        isPossible: preview.isLegal,
        defaultReason: kind === 'kill' ? killReason : '',
        aside: kind === 'kill' ? '' : renderKill(scope),
        effect: html`<p>${text.does}</p>${renderSentences(preview.sentences)}${preview.warnings.map((warning) => renderAlert('warn', warning))}`,
      }
    },
    toRequest: (requested) => ({
      method: 'POST',
      path: `${apiPath(requested.scope)}/changes`,
      body: toBody(requested),
    }),
    describeDone: (requested) => `${describeTarget(requested)} ${requested.scope}: done.`,
    back: ({ scope }) => routePath(scope),
  })
}

export const mountRestorePage = (app: ConsoleApp, tools: ConsoleTools): void =>
  mountConfirmedChange(app, tools, {
    path: '/console/accept-restore',
    section: '/console',
    read: () => null,
    describe: () => ({
      title: 'Accept the restored database',
      button: 'Accept',
      effect: html`<p>First check the routes’ percentages, because they come from the backup. After you accept, automation continues from there. Kills and stops remain.</p>`,
    }),
    toRequest: () => ({ method: 'POST', path: '/api/accept-restore' }),
    describeDone: () => 'Restored database accepted.',
    back: () => '/console',
  })
