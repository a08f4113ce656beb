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
  // With the cookies that the context has collected.
  return context.newResponse(response.body, response)
}

/** The browser asks for the content of a page that it shows already. */
export const isRefresh = ({ req }: ConsoleContext) => req.header('x-console-refresh') !== undefined

/** The operator who has signed in; null before a session is found, which sign-in and some errors come before. */
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

/** Sends the pages of the console. */
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
    /** Leads to another page of the console, as if the operator had followed a link of this one. */
    moveOn(context: ConsoleContext, path: string, title: string) {
      context.header('refresh', `0; url=${path}`)
      return page(context, { title, body: html`<p><a href="${path}">Continue</a></p>` })
    },
    /** Sends an error of the operator API as a page. Throws any other. */
    failed(context: ConsoleContext, error: unknown) {
      if (!(error instanceof ApiFailure)) throw error
      return problem(context, error.status, error.message)
    },
  }
}

type Responder = ReturnType<typeof createResponder>

/** What the pages have in common. */
export interface ConsoleTools {
  readonly api: ApiClient
  readonly sessions: Sessions
  readonly respond: Responder
}
