import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { LimitPort } from '#native-routes/ports.ts'
import { RateLimitExceeded } from '#native-routes/rate-limits.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'

/**
 * Counts the request against the rate limit of its row. Analytics are limited by account, share links by client and
 * link, whether or not the link exists. Throws `analytics_rate_limited`.
 */
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
 * Counts a request whose response is stored for a day. `countLength` counts a long response as several, so that the limit
 * also bounds what an account stores. Call it when the response is stored: its length is not known before, and what
 * exceeds the limit then only delays the next key. Throws `rate_limited`.
 */
export const reserveKey = async ({ actor }: Pick<ScopeRequest, 'actor'>, limits: LimitPort) => {
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
