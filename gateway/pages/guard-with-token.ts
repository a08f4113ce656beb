import { findInternalTokenFault, UnauthorizedError } from '../pipeline/authenticate.ts'
import { errorResponse } from '../request/response.ts'
import { type PageApp, type PageBindings, toFetchResponse } from './page-app.ts'

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

  return async (raw: Request, bindings: PageBindings) => {
    const { context } = bindings
    const fault = await findInternalTokenFault(context.header('authorization'), internalToken)
    if (fault === null) return adminPages.fetch(raw, bindings)
    if (!isRestricted(context)) return publicPages.fetch(raw, bindings)
    context.outcome.unauthorizedReason = fault
    return toFetchResponse(errorResponse(new UnauthorizedError(fault)))
  }
}
