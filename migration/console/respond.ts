import type { Context } from 'hono'
import { html } from 'hono/html'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import type { Operator } from '../api/operator-options.ts'
import { type ApiClient, ApiFailure } from './api-client.ts'
import type { ConsoleEnv } from './console-options.ts'
import { takeNotice } from './session/cookies.ts'
import type { Sessions } from './session/sessions.ts'
import type { Html } from './views/html.ts'
import { type ConsolePage, renderLayout, renderMain } from './views/layout.ts'

export type ConsoleContext = Context<ConsoleEnv>

const send = async (context: ConsoleContext, content: Html | Promise<Html>, status = 200) => {
  const response = createPageResponse(
    String(await content),
    { 'content-type': 'text/html; charset=utf-8' },
    status,
  )
  // Adds the cookies that the context has collected.
  return context.newResponse(response.body, response)
}

/** Whether the browser is refreshing a page that it already shows. */
export const isRefresh = ({ req }: ConsoleContext) => req.header('x-console-refresh') !== undefined

/** Returns the signed-in operator; null until a session is found, for example during sign-in. */
const readOperator = ({ get }: ConsoleContext): Operator | null => get('operator') ?? null

const titles: Readonly<Record<number, string>> = {
  400: 'Not possible',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'Not possible right now',
  503: 'Database unavailable',
}

const renderProblem = (message: string) =>
  html`<div class="notice bad" role="alert"><p>${message}</p></div><p><a href="/console">All routes</a></p>`

export const createResponder = (sessions: Sessions) => {
  const page = (context: ConsoleContext, content: ConsolePage) => {
    if (isRefresh(context)) return send(context, renderMain(content), content.status)
    const operator = readOperator(context)
    const notice = operator && takeNotice(context, sessions, operator)
    return send(context, renderLayout({ ...content, operator, notice }), content.status)
  }
  const problem = (context: ConsoleContext, status: number, message: string) =>
    page(context, { title: titles[status] ?? 'Something went wrong', body: renderProblem(message), status })

  return {
    page,
    problem,
    /** Leads to another page of the console, as if the operator had followed a link. */
    moveOn(context: ConsoleContext, path: string, title: string) {
      context.header('refresh', `0; url=${path}`)
      return page(context, { title, body: html`<p><a href="${path}">Continue</a></p>` })
    },
    /** Sends an operator API error as a page. Rethrows any other error. */
    failed(context: ConsoleContext, error: unknown) {
      if (!(error instanceof ApiFailure)) throw error
      return problem(context, error.status, error.message)
    },
  }
}

type Responder = ReturnType<typeof createResponder>

export interface ConsoleTools {
  readonly api: ApiClient
  readonly sessions: Sessions
  readonly respond: Responder
}
