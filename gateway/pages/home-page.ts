import { accepts } from 'hono/accepts'
import { Hono } from 'hono/tiny'
import { createPageResponse, type PageApp } from './page-app.ts'
import type { HomeAdditions } from './render-home.ts'

/** Serves nothing unless `Accept` prefers HTML and the method is GET or HEAD. */
export const createHomePage = (readAdditions?: () => HomeAdditions): PageApp => {
  const pages: PageApp = new Hono()
  // Not `get`, which would make the path exist: other requests would get 405 or 204 instead of 404.
  pages.all('/', async (c, next) => {
    const { method } = c.env.context
    const supports = ['application/json', 'text/html']
    const preferred = accepts(c, { header: 'Accept', supports, default: 'application/json' })
    if (preferred !== 'text/html' || (method !== 'GET' && method !== 'HEAD')) return next()
    // A separate module on Workers, so isolates that never serve the page do not load it.
    const { renderHome } = await import('./render-home.ts')
    const { page, contentPolicy } = await renderHome(readAdditions?.())
    return createPageResponse(page, {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': contentPolicy,
      'referrer-policy': 'no-referrer',
      // Not set on the 404, because requests that do not prefer HTML must not notice the page. Neither response is
      // cacheable.
      vary: 'accept',
    })
  })
  return pages
}
