import { deliveryOf, isDeliveryLabel } from '#contracts/deliveries.ts'
import { ApiError, type BareErrorCode } from '#contracts/errors.ts'
import { isDatabaseUnavailable, isDatabaseUnreachable } from '#db/client/connection.ts'
import { NotPortedError } from '#native-routes/define-route.ts'
import type { FallbackReason } from '../request/context.ts'
import type { LocalDecision } from '../request/decide.ts'

export class NativeTimeout extends Error {
  override name = 'NativeTimeout'
}

const databaseCodes: ReadonlyMap<string, BareErrorCode> = new Map([
  ['billing', 'billing_database_unavailable'],
  ['tracks', 'tracks_database_unavailable'],
  ['packs', 'packs_database_unavailable'],
  ['pack-links', 'pack_links_database_unavailable'],
  ['public', 'public_database_unavailable'],
  ['libraries', 'libraries_database_unavailable'],
  ['analytics', 'analytics_database_unavailable'],
  ['catalog-analysis', 'catalog_analysis_database_unavailable'],
  ['internal', 'internal_database_unavailable'],
] as const)

export const databaseErrorCode = (label: string): BareErrorCode => {
  if (isDeliveryLabel(label)) return deliveryOf(label).errors.database
  const [area = ''] = label.split('.', 1)
  return databaseCodes.get(area) ?? 'internal_error'
}

/** Returns why native cannot serve a request although the route itself works; null if the route is at fault. */
export const findDependencyFailure = (
  error: unknown,
): Exclude<FallbackReason, 'bug' | 'breaker' | 'earlier_attempt'> | null => {
  if (error instanceof NotPortedError) return 'not_ported'
  if (error instanceof NativeTimeout) return 'timeout'
  if (error instanceof ApiError && error.code === 'authentication_unavailable') return 'authentication'
  return isDatabaseUnavailable(error) ? 'database' : null
}

// Errors that clients or unavailable dependencies can cause on any route.
const causesOutsideRoutes: ReadonlySet<string> = new Set<BareErrorCode>([
  'authentication_unavailable',
  'gateway_busy',
])

export const isCausedOutsideRoute = (error: unknown) =>
  (error instanceof ApiError && causesOutsideRoutes.has(error.code)) || isDatabaseUnreachable(error)

/** Unexpected errors become `internal_error`, without their message. */
export const toApiError = (error: unknown, decision: LocalDecision, path: string): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof NotPortedError) {
    return new ApiError('native_route_not_implemented', {
      message: 'This request is not served natively.',
      path,
    })
  }
  if (error instanceof NativeTimeout || isDatabaseUnavailable(error)) {
    const code = databaseErrorCode(decision.kind === 'native' ? decision.label : 'tracks')
    return new ApiError(code, {}, { cause: error })
  }
  return new ApiError('internal_error', {}, { cause: error })
}
