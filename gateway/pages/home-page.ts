import { accepts } from 'hono/accepts'
import { Hono } from 'hono/tiny'
import { createPageResponse, type PageApp } from './page-app.ts'
import type { HomeAdditions } from './render-home.ts'

/**
 * Creates the page at `/`, for people who open the base URL in a browser. Without an `Accept` that prefers HTML, and with
 * methods other than GET and HEAD, nothing is served there.
 */
export const createHomePage = (readAdditions?: () => HomeAdditions): PageApp => {
  const pages: PageApp = new Hono()
  // Not `get`: the path would then be one that exists, and other requests would get 405 or 204 instead of 404.
  pages.all('/', async (c, next) => {
    const { method } = c.env.context
    const supports = ['application/json', 'text/html']
    const preferred = accepts(c, { header: 'Accept', supports, default: 'application/json' })
    if (preferred !== 'text/html' || (method !== 'GET' && method !== 'HEAD')) return next()
    // On Workers, this is a module of its own: an isolate that no browser asks does not load it.
    const { renderHome } = await import('./render-home.ts')
    const { page, contentPolicy } = await renderHome(readAdditions?.())
    return createPageResponse(page, {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': contentPolicy,
      'referrer-policy': 'no-referrer',
      // The 404 has no Vary: neither may be stored, and requests without this Accept must notice nothing of the page.
      vary: 'accept',
    })
  })
  return pages
}
