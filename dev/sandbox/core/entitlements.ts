import type { Actor } from './authenticate.ts'
import { CoreError } from './core-error.ts'
import type { Queryable } from './database.ts'
import type { Plan } from './settings.ts'
import { isActiveLink } from './share-link.ts'
import { findSubscription } from './subscriptions.ts'

type Feature = 'tracks.share' | 'collaborators.invite'

const entitledStatuses = ['active', 'trialing', 'past_due']

const countActiveItems = async (sql: Queryable, accountId: string, feature: Feature) => {
  const [row] =
    feature === 'tracks.share'
      ? await sql<{ count: number }[]>`
          select count(*)::int as count from track_share_links s join tracks t on t.id = s.track_id
          where t.owner_id = ${accountId} and ${isActiveLink(sql)}`
      : await sql<{ count: number }[]>`
          select count(*)::int as count from library_shares s join libraries l on l.id = s.library_id
          where l.owner_id = ${accountId} and s.invite_status in ('pending', 'accepted')`
  return row?.count ?? 0
}

/**
 * Throws `entitlement_required` if the plan lacks the feature. Otherwise returns the plan's limit, and a function that
 * creates the same error.
 */
export const requireFeature = async (
  sql: Queryable,
  plans: readonly Plan[],
  { accountId }: Actor,
  feature: Feature,
) => {
  const { planId, status } = await findSubscription(sql, accountId)
  const effectivePlanId = entitledStatuses.includes(status) ? planId : 'free'
  const allowed = plans.find((plan) => plan.id === effectivePlanId)?.entitlements[feature]
  const createError = (current: number | null, limit: number | null) =>
    new CoreError('entitlement_required', {
      code: 'entitlement_required',
      feature,
      current,
      limit,
      planId,
      status,
      upgradeRequired: true,
    })
  if (allowed === undefined) throw createError(null, null)
  return { allowed, createError }
}

export const requireEntitlement = async (
  sql: Queryable,
  plans: readonly Plan[],
  actor: Actor,
  feature: Feature,
) => {
  const { allowed, createError } = await requireFeature(sql, plans, actor, feature)
  if (allowed === true) return
  const current = await countActiveItems(sql, actor.accountId, feature)
  if (current >= allowed) throw createError(current, allowed)
}

/** Serializes the creations of one account, so that concurrent requests cannot exceed the limit. */
export const lockEntitlement = (tx: Queryable, { accountId }: Actor, feature: Feature) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${`${feature} ${accountId}`}, 0))`
