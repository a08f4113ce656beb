import type { LimitPort, LimitStatus } from '#native-routes/ports.ts'
import { RateLimitExceeded } from '#native-routes/rate-limits.ts'
import type { RequestContext } from '../../request/context.ts'
import type { GatewayResponse } from '../../request/response.ts'

type LimitedRequest = Pick<RequestContext, 'limitStatuses'>

// A request may count several times against a limit.
const addStatus = (context: LimitedRequest, status: LimitStatus) => {
  const others = context.limitStatuses?.filter(({ limit }) => limit !== status.limit) ?? []
  context.limitStatuses = [...others, status]
}

/** The same limits, which also record what is left of those that the request counts against. */
export const recordLimits = (limits: LimitPort, context: LimitedRequest): LimitPort => ({
  reserve: (limit, subject) => limits.reserve(limit, subject, (status) => addStatus(context, status)),
})

/** Records the limit that an error reports as exhausted: some limits are not those of the pipeline. */
export const recordExceeded = (error: unknown, context: LimitedRequest) => {
  if (error instanceof RateLimitExceeded) addStatus(context, error.limitStatus)
}

// Lists of RFC 9651: the names of limits contain no characters that a string has to escape.
const formatStatus = ({ limit, remaining, resetsInS }: LimitStatus) =>
  `"${limit}";r=${remaining};t=${Math.max(0, Math.ceil(resetsInS))}`

const formatPolicy = ({ limit, count, windowS }: LimitStatus) => `"${limit}";q=${count};w=${windowS}`

/**
 * Adds the rate limits that the request counted against, as draft-ietf-httpapi-ratelimit-headers-11 defines their
 * headers.
 */
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
