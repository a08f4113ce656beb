import { Hono } from 'hono/tiny'
import type { BuildIdentity } from '#migration/model/evidence-keys.ts'
import { type Readiness, reportReadiness } from '../observability/readiness.ts'
import { jsonResponse } from '../request/response.ts'
import { createPageApp, createPageResponse, type PageApp, toFetchResponse } from './page-app.ts'
import { createHealthPage } from './public-pages.ts'

interface AdminPagesOptions {
  readonly readiness: Readiness
  readonly formatMetrics: () => string | Promise<string>
  readonly additionalPages: readonly PageApp[]
}

export const createAdminPages = ({
  readiness,
  formatMetrics,
  additionalPages,
}: AdminPagesOptions): PageApp => {
  const pages: PageApp = new Hono()
  pages.get('/readyz', async () => {
    const { status, body } = await reportReadiness(readiness)
    return toFetchResponse(jsonResponse(status, body))
  })
  // Version 0.0.4 of the Prometheus text format.
  pages.get('/metrics', async () =>
    createPageResponse(await formatMetrics(), { 'content-type': 'text/plain; version=0.0.4' }),
  )
  return createPageApp([createHealthPage(), pages, ...additionalPages])
}

export const createBuildPage = ({ id, keys }: BuildIdentity): PageApp => {
  const pages: PageApp = new Hono()
  const body = { build: id, evidenceKeys: Object.fromEntries(keys) }
  pages.get('/build', () => toFetchResponse(jsonResponse(200, body)))
  return pages
}
