import { html } from 'hono/html'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { formatCommand, sandboxCommand } from '#shared/format-command.ts'
import { createOperatorLookup, isAllowed } from '../../api/operator-middleware.ts'
import type { ConsoleApp, ConsoleOptions } from '../console-options.ts'
import { type ConsoleContext, type ConsoleTools, isRefresh, readForm } from '../respond.ts'
import { renderProblem } from '../views/html.ts'
import { deleteCookies, endSession, findSession, hasRenewableSession, startSession } from './cookies.ts'
import { issuerSignInPath, mountIssuerSignIn } from './issuer-sign-in.ts'
import type { SingleSignOn } from './single-sign-on.ts'

const signInPath = '/console/sign-in'

// A path in the console, optionally with a query. No segment begins with a dot, even an escaped one, so the path cannot
// lead elsewhere.
const consolePath = /^\/console(?:\/(?!sign-)[\w*][\w.~*%-]*)*(?:\?[\w.~*%=&+-]*)?$/

const selectNext = (next: string) => (consolePath.test(next) ? next : '/console')

const renderTokenForm = (next: string, isAlone: boolean) => html`<form method="post" action="${signInPath}">
<input type="hidden" name="next" value="${next}">
<label>Your operator token<input type="password" name="token" autocomplete="current-password" required${isAlone ? html` autofocus` : ''}></label>
<p class="small muted">${sandboxCommand && html`<code>${sandboxCommand}</code> stores the sandbox’s token in <code>.data/operator-token</code>. In an installation, `}<code>${formatCommand('routes', 'operator', 'NAME')}</code> creates one.</p>
<button${isAlone ? html` class="primary"` : ''}>Sign in</button>
</form>`

const renderSignIn = (next: string, problem: string | null, hasIssuer: boolean) =>
  html`<div class="panel sign-in">${problem && renderProblem(problem)}${
    hasIssuer
      ? html`<p><a class="button primary" href="${issuerSignInPath}?${new URLSearchParams({ next })}">Sign in with single sign-on</a></p>
<details><summary>Use an operator token</summary>${renderTokenForm(next, false)}</details>`
      : renderTokenForm(next, true)
  }</div>`

interface SignInTools extends Omit<ConsoleTools, 'api'> {
  readonly singleSignOn: SingleSignOn | null
}

/** All pages mounted afterwards require a session. */
export const mountSignIn = (
  app: ConsoleApp,
  options: ConsoleOptions,
  { sessions, respond, singleSignOn }: SignInTools,
): void => {
  const { listOperators, attempts, database, log } = options
  const findOperator = createOperatorLookup(listOperators)

  const showForm = (context: ConsoleContext, next: string, status: number, problem: string | null) =>
    respond.page(context, {
      title: 'Sign in',
      body: renderSignIn(next, problem, singleSignOn !== null),
      status,
    })

  // Called only for wrong tokens, so a correct one is never refused.
  const reject = (context: ConsoleContext, next: string, token: string) => {
    const { context: request } = context.env
    const client = clientNetworkOf(request.clientAddress())
    const retryAfterS = attempts.findRetryAfterS(client)
    if (retryAfterS > 0) {
      context.header('retry-after', String(retryAfterS))
      const problem = `Too many wrong tokens from this address. Try again in ${retryAfterS} s.`
      return showForm(context, next, 429, problem)
    }
    attempts.recordFailure(client, token)
    log.warn({ requestId: request.requestId }, 'console sign-in rejected')
    return showForm(context, next, 401, 'This is not the token of an operator listed in OPERATORS.')
  }

  app.get(signInPath, (context) => showForm(context, context.req.query('next') ?? '', 200, null))

  app.post(signInPath, async (context) => {
    const form = await readForm(context)
    const next = form.get('next') ?? ''
    const token = form.get('token') ?? ''
    const operator = findOperator(token)
    if (operator === null) return reject(context, next, token)
    if (!isAllowed(operator, 'read'))
      return showForm(
        context,
        next,
        403,
        `${operator.name} has the role ${operator.role}, which does not allow reading.`,
      )
    // The browser is about to replace the previous session's cookie. After that, nobody could sign out of that session.
    await endSession(context, sessions, database)
    startSession(context, sessions, operator)
    log.info({ operator: operator.name }, 'operator signed in')
    return context.redirect(selectNext(next), 303)
  })

  if (singleSignOn)
    mountIssuerSignIn(app, {
      ...options,
      consoleUrl: options.singleSignOn.CONSOLE_URL,
      singleSignOn,
      sessions,
      respond,
      showForm,
      selectNext,
    })

  app.post('/console/sign-out', async (context) => {
    const operator = await endSession(context, sessions, database)
    if (operator) log.info({ operator: operator.name }, 'operator signed out')
    deleteCookies(context)
    return context.redirect(signInPath, 303)
  })

  app.use('*', async (context, next) => {
    const operator = await findSession(context, sessions, database)
    if (operator !== null) {
      context.set('operator', operator)
      return next()
    }
    const { path, query, method } = context.env.context
    const asked = query === '' ? path : `${path}?${query}`
    const search = new URLSearchParams({ next: asked })
    if (method === 'GET' && !isRefresh(context)) {
      if (!singleSignOn || !hasRenewableSession(context, sessions))
        return context.redirect(`${signInPath}?${search}`, 303)
      // A form may have sent this request, and `form-action` would block its redirect to the issuer.
      return respond.moveOn(context, `${issuerSignInPath}?${search}`, 'Signing you in again')
    }
    const form = isRefresh(context) ? '' : String(new URLSearchParams([...(await readForm(context))]))
    const problem =
      'Your session has ended. Nothing was changed. Sign in to see the form again, as you filled it in.'
    // The address that a form is sent to is also a page, which reads the form's fields from the query.
    return showForm(context, form === '' ? path : `${path}?${form}`, 401, problem)
  })
}
