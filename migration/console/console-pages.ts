import { Hono } from 'hono/tiny'
import { createPageResponse, type PageApp } from '#gateway/pages/page-app.ts'
import type { ConsoleApp, ConsoleOptions } from './console-options.ts'

/** The first request loads the console's code, so an unused console costs nothing. */
export const createConsolePages = (options: ConsoleOptions): PageApp => {
  let loading: Promise<ConsoleApp> | undefined
  const load = () => {
    loading ??= import('./create-console.ts').then(({ createConsole }) => createConsole(options))
    return loading
  }
  const pages: PageApp = new Hono()
  pages.get('/', () => createPageResponse('', { location: '/console' }, 302))
  for (const path of ['/console', '/console/*'])
    pages.all(path, async ({ req, env }) => (await load()).fetch(req.raw, env))
  return pages
}
