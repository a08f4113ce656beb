import { Hono } from 'hono/tiny'
import type { BuildIdentity } from '#migration/model/evidence-keys.ts'
import {
  type ProcessState,
  type Readiness,
  reportPhase,
  reportReadiness,
} from '../observability/readiness.ts'
import { findInternalTokenFault, UnauthorizedError } from '../pipeline/authenticate.ts'
import { errorResponse, jsonResponse } from '../request/response.ts'
import { createDescriptionPage, type LoadDescription } from './description-page.ts'
import {
  createPageApp,
  createPageResponse,
  type PageApp,
  type PageBindings,
  toFetchResponse,
} from './page-app.ts'

type ReadinessReport = Awaited<ReturnType<typeof reportReadiness>>

const createStatusPages = (readReadiness: () => ReadinessReport | Promise<ReadinessReport>): PageApp => {
  const pages: PageApp = new Hono()
  pages.get('/healthz', () => toFetchResponse(jsonResponse(200, { status: 'up' })))
  pages.get('/readyz', async () => {
    const { status, body } = await readReadiness()
    return toFetchResponse(jsonResponse(status, body))
  })
  return pages
}

/** Their `/readyz` neither queries the dependencies nor describes them. */
export const createPublicPages = (
  processState: ProcessState,
  loadDescription: LoadDescription,
  platformPages: readonly PageApp[],
): PageApp =>
  createPageApp([
    createStatusPages(() => reportPhase(processState)),
    createDescriptionPage('public', loadDescription),
    ...platformPages,
  ])

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
  const pages = createStatusPages(() => reportReadiness(readiness))
  // Version 0.0.4 of the Prometheus text format.
  pages.get('/metrics', async () =>
    createPageResponse(await formatMetrics(), { 'content-type': 'text/plain; version=0.0.4' }),
  )
  return createPageApp([pages, ...additionalPages])
}

export const createBuildPage = ({ id, keys }: BuildIdentity): PageApp => {
  const pages: PageApp = new Hono()
  const body = { build: id, evidenceKeys: Object.fromEntries(keys) }
  pages.get('/build', () => toFetchResponse(jsonResponse(200, body)))
  return pages
}

interface TokenGuardOptions {
  readonly publicPages: PageApp
  readonly adminPages: PageApp
  /** Undefined disables the admin pages. */
  readonly internalToken: string | undefined
}

/**
 * Serves the admin pages on the public listener to requests with the internal token. All other requests get the public
 * pages, and 401 for paths that only the admin pages have.
 */
export const createTokenGuard = ({ publicPages, adminPages, internalToken }: TokenGuardOptions) => {
  const listPaths = ({ routes }: PageApp) => routes.map(({ path }) => path)
  const publicPaths = listPaths(publicPages)
  const restrictedPaths = listPaths(adminPages).filter((path) => !publicPaths.includes(path))
  const isRestricted = ({ path, hasRewrittenPath }: PageBindings['context']) =>
    internalToken !== undefined && !hasRewrittenPath && restrictedPaths.includes(path)

  return (raw: Request, bindings: PageBindings) => {
    const { context } = bindings
    const fault = findInternalTokenFault(context.header('authorization'), internalToken)
    if (fault === null) return adminPages.fetch(raw, bindings)
    if (!isRestricted(context)) return publicPages.fetch(raw, bindings)
    context.outcome.unauthorizedReason = fault
    return toFetchResponse(errorResponse(new UnauthorizedError(fault)))
  }
}
