import { ApiError, type ErrorCode } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { LimitName, LimitPort } from '#native-routes/ports.ts'
import { rateLimitCodes } from '#native-routes/rate-limits.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import { ClientGoneError } from '../../edge/client-gone-error.ts'
import type { GatewayResponse } from '../../request/response.ts'

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

export const findEffectLimit = (label: Label): EffectLimit | undefined => effectLimits[label]

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

/** One reserved effect; its request reports the outcome. */
interface ReservedEffect {
  succeed(response: GatewayResponse): Promise<void>
  fail(error: unknown): Promise<void>
  /** The request was replayed. */
  refund(): Promise<void>
}

/**
 * Reserves one effect of the account before the request can cause it, so that concurrent requests cannot exceed the
 * limit. It is refunded if the request is rejected or changes nothing. A request that falls back remains counted: the
 * core causes the effect. Throws `rate_limited`, which does not fall back.
 */
export const reserveEffect = async (
  limited: EffectLimit,
  { actor }: Pick<ScopeRequest, 'actor'>,
  limits: LimitPort,
): Promise<ReservedEffect> => {
  const { accountId } = requireActor(actor)
  const refund = await limits.reserve(limited.limit, accountId)
  return {
    succeed: async ({ status }) => {
      if (status === limited.unchangedStatus) await refund()
    },
    fail: async (error) => {
      if (hadNoEffect(error, limited)) await refund()
    },
    refund,
  }
}
