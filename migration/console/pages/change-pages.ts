import { html } from 'hono/html'
import type { Operator } from '../../api/operator-options.ts'
import { ApiFailure } from '../api-client.ts'
import type { Changed, Explanation, Preview } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { keepNotice } from '../session/cookies.ts'
import { readForm } from '../session/read-form.ts'
import { requireChangeRole } from '../session/require-role.ts'
import { renderKill } from '../views/change-forms.ts'
import { describeChanged } from '../views/change-outcome.ts'
import { renderConfirmation } from '../views/confirmation.ts'
import { renderSentences, routePath } from '../views/html.ts'
import { type ChangeFields, changeTexts, toApiChange } from './change-request.ts'

interface RequestedChange extends ChangeFields {
  readonly version?: string | undefined
  readonly reason?: string | undefined
}

const readChange = (fields: ReadonlyMap<string, string>): RequestedChange => ({
  kind: fields.get('kind') ?? '',
  percent: fields.get('percent'),
  mode: fields.get('mode'),
  minutes: fields.get('minutes'),
  version: fields.get('version'),
  reason: fields.get('reason'),
})

const describeTarget = ({ kind, percent, mode, minutes }: ChangeFields) => {
  if (kind === 'drill') return `Drill of ${minutes} minutes for`
  if (kind === 'ramp') return `Native serves ${percent} % of`
  if (kind === 'mode') return `Mode ${mode} for`
  return changeTexts[kind]?.button ?? kind
}

const toBody = (requested: RequestedChange) => ({
  change: toApiChange(requested),
  reason: requested.reason ?? '',
  ...(requested.version === undefined ? {} : { version: Number(requested.version) }),
})

// The form contains this reason, so that a kill takes only two keys.
const killReason = 'killed from the console'

/** Mounts the pages that confirm and make a change to a route, an area or everything. */
export const mountChangePages = (app: ConsoleApp, { api, sessions, respond }: ConsoleTools): void => {
  // Uses the version that the person sees, unless the previous form named a different one.
  const chooseVersion = async (operator: Operator, path: string, { version }: RequestedChange) =>
    version ?? String((await api.read<Explanation>(operator, path)).state.version)

  const confirm = async (context: ConsoleContext, given: RequestedChange, problem?: ApiFailure) => {
    const scope = context.req.param('scope') ?? ''
    const operator = context.get('operator')
    const path = `/api/routes/${encodeURIComponent(scope)}`
    const text = changeTexts[given.kind]
    if (!text) throw new ApiFailure(400, { error: 'bad_request', message: 'This is not a route change.' })
    const requested = { ...given, version: await chooseVersion(operator, path, given) }
    const { kind, percent, mode, minutes, version } = requested
    const { reason: _, ...proposed } = toBody(requested)
    const preview = await api.send<Preview>(operator, 'POST', `${path}/changes/preview`, proposed)
    return respond.page(context, {
      title: `${describeTarget(requested)} ${scope}`,
      section: '/console',
      status: problem?.status ?? 200,
      body: renderConfirmation({
        action: routePath(scope, '/change'),
        fields: { kind, percent, mode, minutes, version },
        button: text.button,
        isDangerous: kind === 'kill' || kind === 'retire' || kind === 'drill',
        isPossible: preview.isLegal,
        back: routePath(scope),
        reason: given.reason ?? (kind === 'kill' ? killReason : ''),
        problem: problem?.message ?? null,
        aside: kind === 'kill' ? '' : renderKill(scope),
        effect: html`<p>${text.does}</p>${renderSentences(preview.sentences)}${preview.warnings.map(
          (warning) => html`<div class="notice warn"><p>${warning}</p></div>`,
        )}`,
      }),
    })
  }

  app.get('/console/routes/:scope/change', requireChangeRole, (context) =>
    confirm(context, readChange(new Map(Object.entries(context.req.query())))),
  )

  app.post('/console/routes/:scope/change', requireChangeRole, async (context) => {
    const scope = context.req.param('scope')
    const requested = readChange(await readForm(context))
    try {
      const path = `/api/routes/${encodeURIComponent(scope)}/changes`
      const changed = await api.send<Changed>(context.get('operator'), 'POST', path, toBody(requested))
      keepNotice(context, sessions, describeChanged(`${describeTarget(requested)} ${scope}: done.`, changed))
      return context.redirect(routePath(scope), 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, requested, error)
      throw error
    }
  })
}
