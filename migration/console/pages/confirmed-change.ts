import type { Operator } from '../../api/operator-options.ts'
import { ApiFailure } from '../api-client.ts'
import type { Changed } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { keepNotice } from '../session/cookies.ts'
import { readForm } from '../session/read-form.ts'
import { requireChangeRole } from '../session/require-role.ts'
import { describeChanged } from '../views/change-outcome.ts'
import { type ConfirmationOptions, renderConfirmation } from '../views/confirmation.ts'
import type { ConsolePage } from '../views/layout.ts'

interface ConfirmationPage
  extends Omit<ConfirmationOptions, 'problem'>,
    Required<Pick<ConsolePage, 'title' | 'section'>> {}

/** A change that an operator confirms with a reason. `F` holds what the form says. */
interface ConfirmedChange<F> {
  readonly path: string
  /** Reads the change from the page's query before the form is sent, and from the form's fields afterwards. */
  readonly read: (fields: ReadonlyMap<string, string>, context: ConsoleContext) => F
  readonly describe: (given: F, operator: Operator) => ConfirmationPage | Promise<ConfirmationPage>
  /** Returns the request to the operator API. */
  readonly toRequest: (given: F) => { readonly method: string; readonly path: string; readonly body: object }
  /** The notice's title, and the page to show it on. */
  readonly finish: (given: F) => { readonly title: string; readonly next: string }
}

/**
 * Mounts a page that asks an operator to confirm a change, and makes the change once the form is sent. If the change is
 * rejected, the page says why.
 */
export const mountConfirmedChange = <F>(
  app: ConsoleApp,
  { api, sessions, respond }: ConsoleTools,
  { path, read, describe, toRequest, finish }: ConfirmedChange<F>,
): void => {
  const confirm = async (context: ConsoleContext, given: F, problem?: ApiFailure) => {
    const { title, section, ...confirmation } = await describe(given, context.get('operator'))
    return respond.page(context, {
      title,
      section,
      status: problem?.status ?? 200,
      body: renderConfirmation({ ...confirmation, problem: problem?.message ?? null }),
    })
  }

  app.get(path, requireChangeRole, (context) =>
    confirm(context, read(new Map(Object.entries(context.req.query())), context)),
  )

  app.post(path, requireChangeRole, async (context) => {
    const given = read(await readForm(context), context)
    try {
      const request = toRequest(given)
      const changed = await api.send<Changed>(
        context.get('operator'),
        request.method,
        request.path,
        request.body,
      )
      const { title, next } = finish(given)
      keepNotice(context, sessions, describeChanged(title, changed))
      return context.redirect(next, 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500) return confirm(context, given, error)
      throw error
    }
  })
}
