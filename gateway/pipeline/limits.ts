import { ApiError } from '#contracts/errors.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { LimitPort, LimitStatus } from '#native-routes/ports.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import { inSpan } from '#shared/tracing/trace.ts'
import { RateLimitExceeded } from '../rate-limits/create-limits.ts'
import { ClientGoneError, type RequestContext } from '../request/context.ts'
import type { GatewayResponse } from '../request/response.ts'

type LimitedContract = Pick<Contract, 'label' | 'limit'>

/** Analytics are counted by account, share links by client and link, even if the link does not exist. */
export const limitRate = async (
  { label, limit }: LimitedContract,
  { actor, params, visit }: ScopeRequest,
  limits: LimitPort,
): Promise<void> => {
  if (limit === 'analytics') await limits.reserve(limit, requireActor(actor).accountId)
  if (limit === 'public-reads' || limit === 'share-events')
    await limits.reserve(limit, `${visit.client()} ${rowOf(label).scope} ${params.token ?? params.slug}`)
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

const effectLimits = ['reanalyses', 'uploads', 'billing', 'invitations'] as const
type EffectLimit = (typeof effectLimits)[number]

const findEffectLimit = ({ limit }: LimitedContract) => effectLimits.find((each) => each === limit)

const hadNoEffect = (error: unknown, limit: EffectLimit) => {
  if (error instanceof ClientGoneError) return true
  if (!(error instanceof ApiError) || error.status >= 500) return false
  // The provider has been called before it reports a conflict.
  return !(limit === 'billing' && error.status === 409)
}

/**
 * Reserves one effect before the request can cause it, so concurrent requests cannot exceed the limit. The effect is
 * refunded if the request is rejected, replayed or changes nothing, but not after a fallback, because the core then
 * causes it. Throws `rate_limited`, which does not fall back.
 */
export const withEffectLimit = async <R>(
  contract: LimitedContract,
  { actor }: Pick<ScopeRequest, 'actor'>,
  limits: LimitPort,
  { outcome }: Pick<RequestContext, 'outcome'>,
  run: () => Promise<R>,
): Promise<R> => {
  const limit = findEffectLimit(contract)
  if (!limit) return run()
  const { accountId } = requireActor(actor)
  const refund = await inSpan('limit effects', () => limits.reserve(limit, accountId))
  try {
    const response = await run()
    if (outcome.isReplayed || outcome.isUnchanged) await refund()
    return response
  } catch (error) {
    if (hadNoEffect(error, limit)) await refund()
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
