import { html } from 'hono/html'
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi'
import { insertConsoleSignOut } from '#db/queries/routing/console-sign-outs.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { describeError } from '#shared/describe-error.ts'
import { formatCommand, sandboxCommand } from '#shared/format-command.ts'
import { createAttemptLimit } from '../../api/attempt-limit.ts'
import { createOperatorLookup, isAllowed } from '../../api/operator-middleware.ts'
import type { ConsoleApp, ConsoleOptions } from '../console-options.ts'
import { type ConsoleContext, type ConsoleTools, isRefresh, readForm } from '../respond.ts'
import { renderProblem } from '../views/html.ts'
import {
  callbackPath,
  deleteCookies,
  endSession,
  findSession,
  findSessionId,
  hasRenewableSession,
  keepPendingSignIn,
  startSession,
  takePendingSignIn,
} from './cookies.ts'
import { SignInRefused, type SingleSignOn } from './single-sign-on.ts'

const signInPath = '/console/sign-in'
const issuerSignInPath = '/console/sign-in/issuer'

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

interface SignInForm {
  readonly next: string
  readonly problem: string | null
  readonly hasIssuer: boolean
  /** The operator sent a token, so its field stays open beside what was wrong with it. */
  readonly hasSentToken: boolean
}

const renderSignIn = ({ next, problem, hasIssuer, hasSentToken }: SignInForm) =>
  html`<div class="panel sign-in">${problem && renderProblem(problem)}${
    hasIssuer
      ? html`<p><a class="button primary" href="${issuerSignInPath}?${new URLSearchParams({ next })}">Sign in with single sign-on</a></p>
<details${hasSentToken ? html` open` : ''}><summary>Use an operator token</summary>${renderTokenForm(next, false)}</details>`
      : renderTokenForm(next, true)
  }</div>`

type ShowForm = (
  context: ConsoleContext,
  next: string,
  status: number,
  problem: string | null,
) => Response | Promise<Response>

// Returns the issuer's error code (RFC 6749, section 5.2). `invalid_client`, for example, means that the settings are
// wrong and nobody can sign in.
const findIssuerError = (cause: unknown) => {
  if (cause instanceof WWWAuthenticateChallengeError) return 'invalid_client'
  const isNamed = cause instanceof ResponseBodyError || cause instanceof AuthorizationResponseError
  // The code can come from the page's address, so it could be any text.
  return isNamed && /^[\w.-]{1,64}$/.test(cause.error) ? cause.error : undefined
}

// Rejected codes are limited, because each code causes a request to the issuer. They are counted separately from
// tokens, because behind a proxy all operators share an address.
const maxRejectedCodes = 100

const maxNextLength = 1000

const mountIssuerSignIn = (
  app: ConsoleApp,
  { database, log, singleSignOn: { CONSOLE_URL: consoleUrl } }: ConsoleOptions,
  { sessions, respond }: Omit<ConsoleTools, 'api'>,
  singleSignOn: SingleSignOn,
  showForm: ShowForm,
): void => {
  const attempts = createAttemptLimit({ maxFailures: maxRejectedCodes })

  const findOwnUrl = ({ req }: ConsoleContext) => {
    const scheme = req.header('x-forwarded-proto') === 'https' ? 'https' : 'http'
    return consoleUrl ?? `${scheme}://${req.header('host')}`
  }

  const refuse = (context: ConsoleContext, next: string, error: unknown) => {
    if (!(error instanceof SignInRefused)) throw error
    const { requestId } = context.env.context
    const { cause = error } = error
    log.warn(
      { requestId, reason: error.message, issuerError: findIssuerError(cause), error: describeError(cause) },
      'console sign-in rejected',
    )
    return showForm(context, next, error.status, error.message)
  }

  app.get(issuerSignInPath, async (context) => {
    const given = context.req.query('next') ?? ''
    const next = given.length > maxNextLength ? '/console' : selectNext(given)
    // Without this check, a link on another site could sign an operator in and open a change that the site has
    // prepared.
    if (context.req.header('sec-fetch-site') === 'cross-site')
      return showForm(context, next, 200, 'This link came from another site. Sign in to continue.')
    // The issuer sends the browser back to `consoleUrl`, so the cookie must be set at that address.
    if (consoleUrl !== undefined && context.req.header('host') !== new URL(consoleUrl).host)
      return context.redirect(`${consoleUrl}${issuerSignInPath}?${new URLSearchParams({ next })}`, 303)
    try {
      const { url, pending } = await singleSignOn.begin(findOwnUrl(context) + callbackPath)
      keepPendingSignIn(context, { ...pending, next, replaces: findSessionId(context, sessions) ?? '' })
      return context.redirect(String(url), 303)
    } catch (error) {
      return refuse(context, next, error)
    }
  })

  app.get(callbackPath, async (context) => {
    const client = clientNetworkOf(context.env.context.clientAddress())
    const retryAfterS = attempts.findRetryAfterS(client)
    if (retryAfterS > 0) {
      context.header('retry-after', String(retryAfterS))
      return showForm(context, '', 429, `Too many failed sign-ins. Try again in ${retryAfterS} s.`)
    }
    const pending = takePendingSignIn(context, context.req.query('state') ?? '')
    if (pending === null)
      return showForm(
        context,
        '',
        400,
        'This sign-in began in another browser or more than ten minutes ago. Start again.',
      )
    const next = selectNext(pending.next)
    try {
      const ownUrl = findOwnUrl(context)
      const { path, query } = context.env.context
      const { subject, ...operator } = await singleSignOn.complete(
        new URL(`${ownUrl}${path}?${query}`),
        ownUrl + callbackPath,
        pending,
      )
      if (pending.replaces !== '') await insertConsoleSignOut(database.db, pending.replaces)
      startSession(context, sessions, operator)
      log.info({ operator: operator.name, subject }, 'operator signed in')
      // A redirect would still count as coming from the issuer's site, so the browser would withhold the new cookie.
      return respond.moveOn(context, next, 'Signed in')
    } catch (error) {
      if (error instanceof SignInRefused && findIssuerError(error.cause) !== undefined)
        attempts.recordFailure(client, pending.state)
      return refuse(context, next, error)
    }
  })
}

interface SignInTools extends Omit<ConsoleTools, 'api'> {
  readonly singleSignOn: SingleSignOn | null
}

/** All pages mounted afterwards require a session. */
export const mountSignIn = (app: ConsoleApp, options: ConsoleOptions, tools: SignInTools): void => {
  const { listOperators, attempts, database, log } = options
  const { sessions, respond, singleSignOn } = tools
  const findOperator = createOperatorLookup(listOperators)

  const showForm: ShowForm = (context, next, status, problem) =>
    respond.page(context, {
      title: 'Sign in',
      body: renderSignIn({
        next,
        problem,
        hasIssuer: singleSignOn !== null,
        hasSentToken: context.req.method === 'POST',
      }),
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

  if (singleSignOn) mountIssuerSignIn(app, options, tools, singleSignOn, showForm)

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
