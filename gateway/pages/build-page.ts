import { Hono } from 'hono/tiny'
import type { BuildIdentity } from '#migration/parity/evidence/evidence-key.ts'
import { jsonResponse } from '../request/response.ts'
import { type PageApp, toFetchResponse } from './page-app.ts'

/** The page with the identity of the running code: its id and the evidence key of each route with a handler. */
export const createBuildPage = ({ id, keys }: BuildIdentity): PageApp => {
  const pages: PageApp = new Hono()
  const body = { build: id, evidenceKeys: Object.fromEntries(keys) }
  pages.get('/build', () => toFetchResponse(jsonResponse(200, body)))
  return pages
}
