import { html } from 'hono/html'
import { type Html, renderHidden } from './html.ts'

export interface ConfirmationOptions {
  readonly action: string
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly button: string
  readonly isDangerous: boolean
  /** False if the change would be rejected now. */
  readonly isPossible?: boolean
  /** The page to return to without confirming. */
  readonly back: string
  readonly reason: string
  /** Why the change was rejected; null if it has not been sent. */
  readonly problem: string | null
  readonly effect: Html
  /** An alternative that takes effect immediately. */
  readonly aside?: Html | ''
}

const renderForm = ({ action, fields, button, isDangerous, back, reason, problem }: ConfirmationOptions) =>
  html`<form class="panel confirm" method="post" action="${action}">
${renderHidden(fields)}
<label>Reason, for the audit<textarea name="reason" rows="3" maxlength="500" required>${reason}</textarea></label>
<div class="row"><button class="${isDangerous ? 'danger' : 'primary'}"${reason !== '' && !problem ? html` autofocus` : ''}>${button}</button><a href="${back}">${problem ? 'View the current state' : 'Cancel'}</a></div>
</form>`

/** Shows what a change will do, and asks for a reason. */
export const renderConfirmation = (options: ConfirmationOptions) => {
  const { isPossible = true, back, problem, effect, aside = '' } = options
  return html`${problem && html`<div class="notice bad" role="alert"><p><strong>Nothing was changed.</strong></p><p>${problem}</p></div>`}
<div class="panel"><div class="row between"><h2>What this does</h2>${aside}</div>${effect}</div>
${isPossible || problem ? renderForm(options) : html`<p><a href="${back}">Back</a></p>`}`
}
