import type { MiddlewareHandler } from 'hono'
import { csrf } from 'hono/csrf'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { ApiFailure, createApiClient } from './api-client.ts'
import { mountAssets } from './assets.ts'
import type { ConsoleApp, ConsoleEnv, ConsoleOptions } from './console-options.ts'
import { mountAccountPages } from './pages/account-page.ts'
import { mountAuditPages } from './pages/audit-page.ts'
import { mountChangePage, mountRestorePage } from './pages/change-page.ts'
import { mountInstancePages } from './pages/instances-page.ts'
import { mountMismatchPage } from './pages/mismatch-page.ts'
import { mountReportPages } from './pages/report-page.ts'
import { mountRoutePage } from './pages/route-page.ts'
import { mountRoutesPage } from './pages/routes-page.ts'
import { mountUsagePage } from './pages/usage-page.ts'
import { createResponder } from './respond.ts'
import { createSessions } from './session/sessions.ts'
import { mountSignIn } from './session/sign-in.ts'
import { createSingleSignOn } from './session/single-sign-on.ts'

const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Confines every page of the console to itself: it loads nothing from elsewhere, and no other page may embed it. */
const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  context.header('content-security-policy', contentPolicy)
  // With `no-referrer`, browsers send `Origin: null` with forms, which `csrf` rejects if the listener has no TLS.
  context.header('referrer-policy', 'same-origin')
}

const sessionsUnavailable =
  'The console keeps its sessions in the database, which did not respond. Try again.'

export const createConsole = (options: ConsoleOptions): ConsoleApp => {
  const singleSignOn = createSingleSignOn(options)
  const sessions = createSessions({ ...options, singleSignOnKey: singleSignOn?.key ?? null })
  const api = createApiClient(options.callApi)
  const respond = createResponder(sessions)
  const app = new Hono<ConsoleEnv>({ getPath: (_raw, options) => options?.env?.context.path ?? '' })
  app.use('*', async (context, next) => {
    context.set('consoleUrl', options.singleSignOn.CONSOLE_URL)
    await next()
  })
  app.use('*', securityHeaders)
  app.use('*', csrf())
  mountAssets(app)
  mountSignIn(app, options, { sessions, respond, singleSignOn })
  for (const mount of [
    mountRoutesPage,
    mountRoutePage,
    mountChangePage,
    mountMismatchPage,
    mountAccountPages,
    mountAuditPages,
    mountInstancePages,
    mountRestorePage,
    mountUsagePage,
    mountReportPages,
  ])
    mount(app, { api, sessions, respond })
  app.notFound((context) => respond.problem(context, 404, 'The console has no page at this address.'))
  app.onError((error, context) => {
    // Thrown by `csrf`.
    if (error instanceof HTTPException && error.status === 403)
      return respond.problem(context, 403, 'This form was sent from another site.')
    if (error instanceof ApiFailure) return respond.problem(context, error.status, error.message)
    // Thrown by a session look-up, because the API turns its own failures into responses.
    if (isDatabaseUnavailable(error)) return respond.problem(context, 503, sessionsUnavailable)
    throw error
  })
  return app
}
