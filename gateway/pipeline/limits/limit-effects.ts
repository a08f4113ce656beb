import { ApiError, type ErrorCode } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { LimitName, LimitPort } from '#native-routes/ports.ts'
import { rateLimitCodes } from '#native-routes/rate-limits.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import { inSpan } from '#shared/tracing/trace.ts'
import { ClientGoneError } from '../../edge/client-gone-error.ts'
import type { RequestContext } from '../../request/context.ts'

interface EffectLimit {
  readonly limit: LimitName
  /** The success status of a request that had no effect. */
  readonly unchangedStatus?: number
  /** Whether a 409 counts, because the route has called its provider by then. */
  readonly countsConflicts?: true
}

const upload: EffectLimit = { limit: 'uploads' }
const billing: EffectLimit = { limit: 'billing', countsConflicts: true }

/** The routes whose external effects are limited for each account. A promotion analyses its version again. */
const effectLimits: { readonly [L in Label]?: EffectLimit } = {
  'tracks.processing.retry': { limit: 'reanalyses', unchangedStatus: 200 },
  'tracks.versions.promote': { limit: 'reanalyses' },
  'tracks.versions.upload': upload,
  'tracks.artwork.upload': upload,
  'tracks.documents.upload': upload,
  'billing.checkout': billing,
  'billing.portal': billing,
  'billing.change-plan': billing,
  'packs.invitations.create': { limit: 'invitations' },
}

export const hasEffectLimit = (label: Label): boolean => effectLimits[label] !== undefined

/** The error codes of the limit of a route's effects. */
export const listEffectLimitCodes = (label: Label): readonly ErrorCode[] => {
  const limited = effectLimits[label]
  return limited ? [rateLimitCodes[limited.limit]] : []
}

const hadNoEffect = (error: unknown, { countsConflicts }: EffectLimit) => {
  if (error instanceof ClientGoneError) return true
  if (!(error instanceof ApiError) || error.status >= 500) return false
  return !(countsConflicts && error.status === 409)
}

const isUnchanged = (response: object, { unchangedStatus }: EffectLimit) =>
  unchangedStatus !== undefined && 'status' in response && response.status === unchangedStatus

/**
 * Reserves one effect of the account before the request can cause it, so that concurrent requests cannot exceed the
 * limit. It is refunded if the request is rejected, replayed or changes nothing. A request that falls back remains counted:
 * the core causes the effect. Throws `rate_limited`, which does not fall back.
 */
export const withEffectLimit = async <R extends object>(
  label: Label,
  { actor }: Pick<ScopeRequest, 'actor'>,
  limits: LimitPort,
  { outcome }: Pick<RequestContext, 'outcome'>,
  run: () => Promise<R>,
): Promise<R> => {
  const limited = effectLimits[label]
  if (!limited) return run()
  const { accountId } = requireActor(actor)
  const refund = await inSpan('limit effects', () => limits.reserve(limited.limit, accountId))
  try {
    const response = await run()
    if (outcome.isReplayed || isUnchanged(response, limited)) await refund()
    return response
  } catch (error) {
    if (hadNoEffect(error, limited)) await refund()
    throw error
  }
}
