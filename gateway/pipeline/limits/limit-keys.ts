import type { LimitPort } from '#native-routes/ports.ts'
import { RateLimitExceeded } from '#native-routes/rate-limits.ts'
import { requireActor, type ScopeRequest } from '#native-routes/scopes.ts'

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
