import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { isLabel } from '#contracts/shared/row.ts'
import { formatStage } from '#migration/routing/format-state.ts'
import { ApiFailure } from './api-client.ts'
import type { Changed, Explanation } from './api-types.ts'
import { describeChanged } from './change-outcome.ts'
import { type ChangeFields, changeTexts, toApiChange } from './change-request.ts'
import { renderConfirmation } from './confirmation.ts'
import type { ConsoleEnv } from './console-options.ts'
import { keepNotice } from './cookies.ts'
import { renderSentences, routePath } from './html.ts'
import { readForm } from './read-form.ts'
import { requireChangeRole } from './require-role.ts'
import type { ConsoleContext, ConsoleTools } from './respond.ts'

interface RequestedChange extends ChangeFields {
  readonly version?: string | undefined
  readonly reason?: string | undefined
}

const readChange = (fields: ReadonlyMap<string, string>): RequestedChange => ({
  kind: fields.get('kind') ?? '',
  percent: fields.get('percent'),
  mode: fields.get('mode'),
  version: fields.get('version'),
  reason: fields.get('reason'),
})

const describeTarget = ({ kind, percent, mode }: ChangeFields) => {
  if (kind === 'ramp') return `Native serves ${percent} % of`
  if (kind === 'mode') return `Mode ${mode} for`
  return changeTexts[kind]?.button ?? kind
}

const toBody = (requested: RequestedChange) => ({
  change: toApiChange(requested),
  reason: requested.reason ?? '',
  ...(requested.version === undefined ? {} : { version: Number(requested.version) }),
})

/** Creates the pages on which a change of a route, an area or everything is confirmed and made. */
export const createChangePages = ({ api, sessions, respond }: ConsoleTools): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()

  const confirm = async (context: ConsoleContext, requested: RequestedChange, problem?: ApiFailure) => {
    const scope = context.req.param('scope') ?? ''
    const path = `/api/routes/${encodeURIComponent(scope)}`
    const { state } = await api.read<Explanation>(context.get('operator'), path)
    const text = changeTexts[requested.kind]
    if (!text) throw new ApiFailure(400, { error: 'bad_request', message: 'This is no change of a route.' })
    const { kind, percent, mode, version = String(state.version) } = requested
    return respond.page(context, {
      title: `${describeTarget(requested)} ${scope}`,
      section: '/console',
      status: problem?.status ?? 200,
      body: renderConfirmation({
        action: routePath(scope, '/change'),
        fields: { kind, percent, mode, version },
        button: text.button,
        isDangerous: kind === 'kill',
        back: routePath(scope),
        reason: requested.reason ?? '',
        problem: problem?.message ?? null,
        effect: html`<p>${text.does}</p>${renderSentences(
          isLabel(scope) ? [`${scope} is in state ${formatStage(state)} (version ${state.version}).`] : [],
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
  return app
}
