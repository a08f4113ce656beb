import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { formatCommand, sandboxCommand } from '#shared/format-command.ts'
import { createOperatorLookup, isAllowed } from '../../api/operator-middleware.ts'
import type { ConsoleEnv, ConsoleOptions } from '../console-options.ts'
import { type ConsoleContext, type ConsoleTools, isRefresh } from '../respond.ts'
import { deleteCookies, endSession, findSession, startSession } from './cookies.ts'
import { readForm } from './read-form.ts'

const signInPath = '/console/sign-in'

// A path of the console with an optional query, and no other place: no segment begins with a dot or an escape of one.
const consolePath = /^\/console(?:\/(?!sign-)[\w*][\w.~*%-]*)*(?:\?[\w.~*%=&+-]*)?$/

const renderSignIn = (
  next: string,
  problem: string | null,
) => html`<form class="panel sign-in" method="post" action="${signInPath}">
${problem && html`<div class="notice bad" role="alert"><p>${problem}</p></div>`}
<input type="hidden" name="next" value="${next}">
<label>Your operator token<input type="password" name="token" autocomplete="current-password" required autofocus></label>
<p class="small muted">${sandboxCommand && html`<code>${sandboxCommand}</code> stores that of the sandbox in <code>.data/operator-token</code>. In an installation, `}<code>${formatCommand('routes', 'operator', 'NAME')}</code> creates one.</p>
<button class="primary">Sign in</button>
</form>`

/** Creates the pages that sign operators in and out, and requires a session for all pages that are added afterwards. */
export const createSignIn = (
  { operators, attempts, database, log }: ConsoleOptions,
  { sessions, respond }: Omit<ConsoleTools, 'api'>,
): Hono<ConsoleEnv> => {
  const findOperator = createOperatorLookup(operators)
  const app = new Hono<ConsoleEnv>()

  const showForm = (context: ConsoleContext, next: string, status: number, problem: string | null) =>
    respond.page(context, { title: 'Sign in', body: renderSignIn(next, problem), status })

  // Only wrong tokens count, after they were verified: a right one is never refused.
  const reject = (context: ConsoleContext, next: string, token: string) => {
    const { context: request } = context.env
    const client = clientNetworkOf(request.clientAddress())
    const retryAfterS = attempts.findRetryAfterS(client)
    if (retryAfterS > 0) {
      context.header('retry-after', String(retryAfterS))
      const problem = `Too many wrong tokens came from this address: try again in ${retryAfterS} s.`
      return showForm(context, next, 429, problem)
    }
    attempts.recordFailure(client, token)
    log.warn({ requestId: request.requestId }, 'console sign-in rejected')
    return showForm(context, next, 401, 'This is not the token of an operator that OPERATORS lists.')
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
        `${operator.name} has the role ${operator.role}, which may not read.`,
      )
    // No one could sign out of it any more: the browser replaces its cookie.
    await endSession(context, sessions, database)
    startSession(context, sessions, operator)
    log.info({ operator: operator.name }, 'operator signed in')
    return context.redirect(consolePath.test(next) ? next : '/console', 303)
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
    if (method === 'GET' && !isRefresh(context))
      return context.redirect(`${signInPath}?${new URLSearchParams({ next: asked })}`, 303)
    return showForm(context, path, 401, 'Your session has ended: sign in again.')
  })
  return app
}
