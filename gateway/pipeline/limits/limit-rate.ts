import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { LimitPort } from '#native-routes/ports.ts'
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
