import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi'
import { insertConsoleSignOut } from '#db/queries/routing/console-sign-outs.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { describeError } from '#shared/describe-error.ts'
import { createAttemptLimit } from '../../api/attempt-limit.ts'
import type { ConsoleApp, ConsoleOptions } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { callbackPath, findSessionId, keepPendingSignIn, startSession, takePendingSignIn } from './cookies.ts'
import { SignInRefused, type SingleSignOn } from './single-sign-on.ts'

export const issuerSignInPath = '/console/sign-in/issuer'

interface IssuerSignInOptions
  extends Pick<ConsoleTools, 'sessions' | 'respond'>,
    Pick<ConsoleOptions, 'database' | 'log'> {
  /** Where browsers reach the console, if not at the listener's address. */
  readonly consoleUrl: string | undefined
  readonly singleSignOn: SingleSignOn
  readonly showForm: (
    context: ConsoleContext,
    next: string,
    status: number,
    problem: string,
  ) => Response | Promise<Response>
  readonly selectNext: (next: string) => string
}

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

export const mountIssuerSignIn = (
  app: ConsoleApp,
  { singleSignOn, consoleUrl, sessions, respond, database, log, showForm, selectNext }: IssuerSignInOptions,
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
