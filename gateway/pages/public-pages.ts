import { Hono } from 'hono/tiny'
import { type ProcessState, reportPhase } from '../observability/readiness.ts'
import { jsonResponse } from '../request/response.ts'
import { createDescriptionPage, type LoadDescription } from './description-page.ts'
import { createPageApp, type PageApp, toFetchResponse } from './page-app.ts'

export const createHealthPage = (): PageApp => {
  const pages: PageApp = new Hono()
  pages.get('/healthz', () => toFetchResponse(jsonResponse(200, { status: 'up' })))
  return pages
}

/** The page neither queries the dependencies nor describes them. */
const createReadinessPage = (processState: ProcessState): PageApp => {
  const pages: PageApp = new Hono()
  pages.get('/readyz', () => {
    const { status, body } = reportPhase(processState)
    return toFetchResponse(jsonResponse(status, body))
  })
  return pages
}

export const createPublicPages = (
  processState: ProcessState,
  loadDescription: LoadDescription,
  platformPages: readonly PageApp[],
): PageApp =>
  createPageApp([
    createHealthPage(),
    createReadinessPage(processState),
    createDescriptionPage('public', loadDescription),
    ...platformPages,
  ])
