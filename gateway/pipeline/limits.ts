import { ApiError, type ErrorCode } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { LimitName, LimitPort, LimitStatus } from '#native-routes/ports.ts'
import { RateLimitExceeded, rateLimitCodes } from '#native-routes/rate-limits.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import { inSpan } from '#shared/tracing/trace.ts'
import { ClientGoneError, type RequestContext } from '../request/context.ts'
import type { GatewayResponse } from '../request/response.ts'

/** Analytics are counted by account, share links by client and link, even if the link does not exist. */
export const limitRate = async (
  label: Label,
  { actor, params, visit }: ScopeRequest,
  limits: LimitPort,
): Promise<void> => {
  const { scope, method } = rowOf(label)
  if (label.startsWith('analytics.')) await limits.reserve('analytics', requireActor(actor).accountId)
  if (!scope?.startsWith('link:')) return
  const limit = method === 'GET' ? 'public-reads' : 'share-events'
  await limits.reserve(limit, `${visit.client()} ${scope} ${params.token ?? params.slug}`)
}

const lengthPerUse = 16_384

/**
 * Call `countLength` when the response is stored, because a long response counts several times. This bounds what an
 * account can store. Throws `rate_limited`.
 */
export const reserveStoredResponse = async ({ actor }: Pick<ScopeRequest, 'actor'>, limits: LimitPort) => {
  const { accountId } = requireActor(actor)
  const reserve = () => limits.reserve('idempotency-keys', accountId)
  await reserve()
  return {
    async countLength(length: number) {
      try {
        for (let counted = lengthPerUse; counted < length; counted += lengthPerUse) await reserve()
      } catch (error) {
        if (!(error instanceof RateLimitExceeded)) throw error
      }
    },
  }
}

interface EffectLimit {
  readonly limit: LimitName
  /** Whether a 409 counts, because the provider has been called by then. */
  readonly countsConflicts?: true
}

const upload: EffectLimit = { limit: 'uploads' }
const billing: EffectLimit = { limit: 'billing', countsConflicts: true }

/** Promoting a version analyses it again. */
const effectLimits: { readonly [L in Label]?: EffectLimit } = {
  'tracks.processing.retry': { limit: 'reanalyses' },
  'tracks.versions.promote': { limit: 'reanalyses' },
  'tracks.versions.upload': upload,
  'tracks.artwork.upload': upload,
  'tracks.documents.upload': upload,
  'billing.checkout': billing,
  'billing.portal': billing,
  'billing.change-plan': billing,
  'packs.invitations.create': { limit: 'invitations' },
}

export const listEffectLimitCodes = (label: Label): readonly ErrorCode[] => {
  const limited = effectLimits[label]
  return limited ? [rateLimitCodes[limited.limit]] : []
}

const hadNoEffect = (error: unknown, { countsConflicts }: EffectLimit) => {
  if (error instanceof ClientGoneError) return true
  if (!(error instanceof ApiError) || error.status >= 500) return false
  return !(countsConflicts && error.status === 409)
}

/**
 * Reserves one effect before the request can cause it, so concurrent requests cannot exceed the limit. The effect is
 * refunded if the request is rejected, replayed or changes nothing, but not after a fallback, because the core then
 * causes it. Throws `rate_limited`, which does not fall back.
 */
export const withEffectLimit = async <R>(
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
    if (outcome.isReplayed || outcome.isUnchanged) await refund()
    return response
  } catch (error) {
    if (hadNoEffect(error, limited)) await refund()
    throw error
  }
}

type LimitedRequest = Pick<RequestContext, 'limitStatuses'>

// A request may count several times against a limit.
const addStatus = (context: LimitedRequest, status: LimitStatus) => {
  const others = context.limitStatuses?.filter(({ limit }) => limit !== status.limit) ?? []
  context.limitStatuses = [...others, status]
}

export const recordLimits = (limits: LimitPort, context: LimitedRequest): LimitPort => ({
  reserve: (limit, subject) => limits.reserve(limit, subject, (status) => addStatus(context, status)),
})

/** Records the limit that an error reports as exhausted, even if the pipeline itself does not count that limit. */
export const recordExceeded = (error: unknown, context: LimitedRequest) => {
  if (error instanceof RateLimitExceeded) addStatus(context, error.limitStatus)
}

// The headers are lists as in RFC 9651. Limit names contain nothing that needs escaping.
const formatStatus = ({ limit, remaining, resetsInS }: LimitStatus) =>
  `"${limit}";r=${remaining};t=${Math.max(0, Math.ceil(resetsInS))}`

const formatPolicy = ({ limit, count, windowS }: LimitStatus) => `"${limit}";q=${count};w=${windowS}`

/** Adds the headers of draft-ietf-httpapi-ratelimit-headers-11 for the limits the request counted against. */
export const addRateLimitHeaders = (
  response: GatewayResponse,
  { limitStatuses }: LimitedRequest,
): GatewayResponse => {
  if (limitStatuses === null) return response
  const headers = {
    ratelimit: limitStatuses.map(formatStatus).join(', '),
    'ratelimit-policy': limitStatuses.map(formatPolicy).join(', '),
  }
  return { ...response, headers: { ...response.headers, ...headers } }
}
