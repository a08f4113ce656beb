import type { MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { Operator } from '../../api/operator-options.ts'
import { describeApplied } from '../../model/applied-change.ts'
import { describeDemotion, formatStage } from '../../model/format-state.ts'
import { ApiFailure } from '../api-client.ts'
import type { Changed } from '../api-types.ts'
import type { ConsoleApp, ConsoleEnv } from '../console-options.ts'
import { type ConsoleContext, type ConsoleTools, readForm } from '../respond.ts'
import { keepNotice } from '../session/cookies.ts'
import { type Html, renderHidden } from '../views/html.ts'
import type { ConsolePage } from '../views/layout.ts'
import { createNotice, type Notice } from '../views/notice.ts'

const requireChangeRole: MiddlewareHandler<ConsoleEnv> = async ({ get }, next) => {
  const { name, role } = get('operator')
  if (!isAllowed({ name, role }, 'change'))
    throw new ApiFailure(403, `${name} has the role ${role}, which does not allow changes.`)
  await next()
}

const toSentence = (line: string) => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`

const describeChanged = (title: string, changed: Changed): Notice => {
  const { adoption, warnings = [], demoted = [] } = changed
  const isAdopted = adoption !== null && adoption.missing.length === 0
  return createNotice(isAdopted && warnings.length === 0 ? 'good' : 'warn', title, [
    ...describeApplied(changed, 'the page Instances').map(toSentence),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...demoted.map((state) => `${state.scope}: ${formatStage(state)}, because ${describeDemotion(state)}.`),
  ])
}

interface Confirmation {
  readonly title: string
  /** The change, in hidden fields; none if the page's path says it all. */
  readonly fields?: Readonly<Record<string, string | undefined>>
  readonly button: string
  readonly isDangerous?: boolean
  /** False if the change would be rejected now. */
  readonly isPossible?: boolean
  readonly defaultReason?: string
  readonly effect: Html
  /** An alternative that takes effect immediately. */
  readonly aside?: Html | ''
}

interface ConfirmationPage extends Confirmation {
  readonly path: string
  readonly back: string
  readonly reason: string
  /** Why the change was rejected; undefined if it has not been sent. */
  readonly problem: string | undefined
}

const renderForm = ({ path, fields = {}, button, isDangerous, back, reason, problem }: ConfirmationPage) =>
  html`<form class="panel confirm" method="post" action="${path}">
${renderHidden(fields)}
<label>Reason, for the audit<textarea name="reason" rows="3" maxlength="500" required>${reason}</textarea></label>
<div class="row"><button class="${isDangerous ? 'danger' : 'primary'}"${reason !== '' && !problem ? html` autofocus` : ''}>${button}</button><a href="${back}">${problem ? 'View the current state' : 'Cancel'}</a></div>
</form>`

const renderConfirmation = (page: ConfirmationPage) => {
  const { isPossible = true, back, effect, aside = '', problem } = page
  return html`${problem && html`<div class="notice bad" role="alert"><p><strong>Nothing was changed.</strong></p><p>${problem}</p></div>`}
<div class="panel"><div class="row between"><h2>What this does</h2>${aside}</div>${effect}</div>
${isPossible || problem ? renderForm(page) : html`<p><a href="${back}">Back</a></p>`}`
}

type Fields = ReadonlyMap<string, string>

interface ConfirmedChange<F> extends Required<Pick<ConsolePage, 'section'>> {
  readonly path: string
  /** Reads the change from the page's query before the form is sent, and from the form's fields afterwards. */
  readonly read: (fields: Fields, context: ConsoleContext) => F
  readonly describe: (given: F, operator: Operator) => Confirmation | Promise<Confirmation>
  /** The operator's reason is added to the body. */
  readonly toRequest: (given: F) => { readonly method: string; readonly path: string; readonly body?: object }
  readonly describeDone: (given: F) => string
  /** The page to return to, whether or not the change was made. */
  readonly back: (given: F) => string
}

export const mountConfirmedChange = <F>(
  app: ConsoleApp,
  { api, sessions, respond }: ConsoleTools,
  { path, section, read, describe, toRequest, describeDone, back }: ConfirmedChange<F>,
): void => {
  const confirm = async (context: ConsoleContext, fields: Fields, problem?: ApiFailure) => {
    const given = read(fields, context)
    const confirmation = await describe(given, context.get('operator'))
    const body = renderConfirmation({
      ...confirmation,
      path: context.env.context.path,
      back: back(given),
      reason: fields.get('reason') ?? confirmation.defaultReason ?? '',
      problem: problem?.message,
    })
    return respond.page(context, { title: confirmation.title, section, status: problem?.status ?? 200, body })
  }

  app.get(path, requireChangeRole, (context) =>
    confirm(context, new Map(Object.entries(context.req.query()))),
  )

  app.post(path, requireChangeRole, async (context) => {
    const fields = await readForm(context)
    const given = read(fields, context)
    try {
      const { method, path, body } = toRequest(given)
      const reason = fields.get('reason') ?? ''
      const changed = await api.send<Changed>(context.get('operator'), method, path, { ...body, reason })
      keepNotice(context, sessions, describeChanged(describeDone(given), changed))
      return context.redirect(back(given), 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, fields, error)
      throw error
    }
  })
}
