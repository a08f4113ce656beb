import { Hono } from 'hono/tiny'
import type { BuildIdentity } from '#migration/model/evidence-keys.ts'
import { jsonResponse } from '../request/response.ts'
import { type PageApp, toFetchResponse } from './page-app.ts'

export const createBuildPage = ({ id, keys }: BuildIdentity): PageApp => {
  const pages: PageApp = new Hono()
  const body = { build: id, evidenceKeys: Object.fromEntries(keys) }
  pages.get('/build', () => toFetchResponse(jsonResponse(200, body)))
  return pages
}
