import type { Context } from 'hono'
import { html } from 'hono/html'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import { type ApiClient, ApiFailure } from './api-client.ts'
import type { ConsoleEnv } from './console-options.ts'
import { takeNotice } from './session/cookies.ts'
import type { Sessions } from './session/sessions.ts'
import { type Html, renderProblem } from './views/html.ts'
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

export const isRefresh = ({ req }: ConsoleContext) => req.header('x-console-refresh') !== undefined

const formType = /^application\/x-www-form-urlencoded(?:;|$)/i

/** Reads the fields of a submitted form by name. An empty field counts as missing. Throws `ApiFailure`. */
export const readForm = async ({ env, req }: ConsoleContext): Promise<ReadonlyMap<string, string>> => {
  if (!formType.test(req.header('content-type') ?? ''))
    throw new ApiFailure(400, 'Only the console’s own forms can be sent here.')
  const text = new TextDecoder().decode(await env.context.readBody())
  return new Map([...new URLSearchParams(text)].filter(([, value]) => value !== ''))
}

const titles: Readonly<Record<number, string>> = {
  400: 'Not possible',
  403: 'Not allowed',
  404: 'Page not found',
  409: 'Not possible right now',
  503: 'Database unavailable',
}

export const createResponder = (sessions: Sessions) => {
  const page = (context: ConsoleContext, content: ConsolePage) => {
    if (isRefresh(context)) return send(context, renderMain(content), content.status)
    // Not set during sign-in.
    const operator = context.get('operator') ?? null
    const notice = operator && takeNotice(context, sessions, operator)
    return send(context, renderLayout({ ...content, operator, notice }), content.status)
  }
  const problem = (context: ConsoleContext, status: number, message: string) =>
    page(context, {
      title: titles[status] ?? 'Something went wrong',
      body: html`${renderProblem(message)}<p><a href="/console">All routes</a></p>`,
      status,
    })

  return {
    page,
    problem,
    /** Leads to another page of the console, as if the operator had followed a link. */
    moveOn(context: ConsoleContext, path: string, title: string) {
      context.header('refresh', `0; url=${path}`)
      return page(context, { title, body: html`<p><a href="${path}">Continue</a></p>` })
    },
  }
}

export interface ConsoleTools {
  readonly api: ApiClient
  readonly sessions: Sessions
  readonly respond: ReturnType<typeof createResponder>
}
