import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { describeError } from '#shared/describe-error.ts'
import type { ConsoleEnv, ConsoleOptions } from '../console-options.ts'
import type { ConsoleContext, ConsoleTools } from '../respond.ts'
import { endSession, keepPendingSignIn, startSession, takePendingSignIn } from './cookies.ts'
import { SignInRefused, type SingleSignOn } from './single-sign-on.ts'

/** Where a browser begins to sign in with the issuer. */
export const issuerSignInPath = '/console/sign-in/issuer'

const callbackPath = '/console/sign-in/callback'

interface IssuerSignInOptions
  extends Pick<ConsoleTools, 'sessions' | 'respond'>,
    Pick<ConsoleOptions, 'attempts' | 'database' | 'log'> {
  /** Where browsers reach the console, if not at the address of the listener. */
  readonly consoleUrl: string | undefined
  readonly singleSignOn: SingleSignOn
  /** A page with what went wrong and the ways to sign in. */
  readonly showForm: (
    context: ConsoleContext,
    next: string,
    status: number,
    problem: string,
  ) => Response | Promise<Response>
  /** The page to return to: never a place outside the console. */
  readonly selectNext: (next: string) => string
}

// RFC 6749, section 5.2, such as invalid_client: the settings are wrong, and nobody can sign in.
const findIssuerError = (cause: unknown) =>
  cause instanceof ResponseBodyError || cause instanceof AuthorizationResponseError ? cause.error : undefined

/** Creates the two halves of a sign-in with the issuer: to its page, and back from it with a code. */
export const createIssuerSignIn = ({
  singleSignOn,
  consoleUrl,
  attempts,
  sessions,
  respond,
  database,
  log,
  showForm,
  selectNext,
}: IssuerSignInOptions): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()

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
    const next = context.req.query('next') ?? ''
    try {
      const { url, pending } = await singleSignOn.begin(findOwnUrl(context) + callbackPath)
      keepPendingSignIn(context, { ...pending, next })
      return context.redirect(String(url), 303)
    } catch (error) {
      return refuse(context, next, error)
    }
  })

  app.get(callbackPath, async (context) => {
    const pending = takePendingSignIn(context, context.req.query('state') ?? '')
    if (pending === null)
      return showForm(
        context,
        '',
        400,
        'This sign-in was not started in this browser, or more than ten minutes ago. Start again.',
      )
    const next = selectNext(pending.next)
    const client = clientNetworkOf(context.env.context.clientAddress())
    // Each code is a request to the issuer.
    const retryAfterS = attempts.findRetryAfterS(client)
    if (retryAfterS > 0) {
      context.header('retry-after', String(retryAfterS))
      return showForm(context, next, 429, `Too many sign-ins failed. Try again in ${retryAfterS} s.`)
    }
    try {
      const ownUrl = findOwnUrl(context)
      const { path, query } = context.env.context
      const operator = await singleSignOn.complete(
        new URL(`${ownUrl}${path}?${query}`),
        ownUrl + callbackPath,
        pending,
      )
      await endSession(context, sessions, database)
      startSession(context, sessions, operator)
      log.info({ operator: operator.name }, 'operator signed in')
      // A redirect would still count as coming from the issuer's site, and the browser would withhold the new cookie.
      context.header('refresh', `0; url=${next}`)
      return respond.page(context, { title: 'Signed in', body: html`<p><a href="${next}">Continue</a></p>` })
    } catch (error) {
      attempts.recordFailure(client, pending.state)
      return refuse(context, next, error)
    }
  })
  return app
}
