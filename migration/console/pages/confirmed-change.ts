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
    throw new ApiFailure(403, {
      error: 'operator_role_insufficient',
      message: `${name} has the role ${role}, which does not allow changes.`,
    })
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

interface ConfirmationPage extends Required<Pick<ConsolePage, 'title' | 'section'>> {
  readonly action: string
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly button: string
  readonly isDangerous: boolean
  /** False if the change would be rejected now. */
  readonly isPossible?: boolean
  readonly back: string
  readonly reason: string
  readonly effect: Html
  /** An alternative that takes effect immediately. */
  readonly aside?: Html | ''
}

const renderForm = (
  { action, fields, button, isDangerous, back, reason }: ConfirmationPage,
  problem: string | undefined,
) =>
  html`<form class="panel confirm" method="post" action="${action}">
${renderHidden(fields)}
<label>Reason, for the audit<textarea name="reason" rows="3" maxlength="500" required>${reason}</textarea></label>
<div class="row"><button class="${isDangerous ? 'danger' : 'primary'}"${reason !== '' && !problem ? html` autofocus` : ''}>${button}</button><a href="${back}">${problem ? 'View the current state' : 'Cancel'}</a></div>
</form>`

/** `problem` is why the change was rejected; undefined if it has not been sent. */
const renderConfirmation = (page: ConfirmationPage, problem: string | undefined) => {
  const { isPossible = true, back, effect, aside = '' } = page
  return html`${problem && html`<div class="notice bad" role="alert"><p><strong>Nothing was changed.</strong></p><p>${problem}</p></div>`}
<div class="panel"><div class="row between"><h2>What this does</h2>${aside}</div>${effect}</div>
${isPossible || problem ? renderForm(page, problem) : html`<p><a href="${back}">Back</a></p>`}`
}

interface ConfirmedChange<F> {
  readonly path: string
  /** Reads the change from the page's query before the form is sent, and from the form's fields afterwards. */
  readonly read: (fields: ReadonlyMap<string, string>, context: ConsoleContext) => F
  readonly describe: (given: F, operator: Operator) => ConfirmationPage | Promise<ConfirmationPage>
  readonly toRequest: (given: F) => { readonly method: string; readonly path: string; readonly body: object }
  readonly finish: (given: F) => { readonly title: string; readonly next: string }
}

export const mountConfirmedChange = <F>(
  app: ConsoleApp,
  { api, sessions, respond }: ConsoleTools,
  { path, read, describe, toRequest, finish }: ConfirmedChange<F>,
): void => {
  const confirm = async (context: ConsoleContext, given: F, problem?: ApiFailure) => {
    const page = await describe(given, context.get('operator'))
    return respond.page(context, {
      title: page.title,
      section: page.section,
      status: problem?.status ?? 200,
      body: renderConfirmation(page, problem?.message),
    })
  }

  app.get(path, requireChangeRole, (context) =>
    confirm(context, read(new Map(Object.entries(context.req.query())), context)),
  )

  app.post(path, requireChangeRole, async (context) => {
    const given = read(await readForm(context), context)
    try {
      const { method, path, body } = toRequest(given)
      const changed = await api.send<Changed>(context.get('operator'), method, path, body)
      const { title, next } = finish(given)
      keepNotice(context, sessions, describeChanged(title, changed))
      return context.redirect(next, 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, given, error)
      throw error
    }
  })
}
