import type { Actor } from './authenticate.ts'
import { CoreError } from './core-error.ts'
import type { Queryable } from './database.ts'

type Feature = 'tracks.share' | 'collaborators.invite'

/** A plan as the core knows it: a number is how many live items it allows. */
export interface Plan {
  readonly id: string
  /** What the billing provider calls its price; none: it cannot be bought. */
  readonly priceId?: string | null
  readonly entitlements: Readonly<Partial<Record<string, true | number>>>
}

interface Subscription {
  readonly planId: string
  readonly status: string
}

const entitledStatuses = ['active', 'trialing', 'past_due']

const countLiveItems = async (sql: Queryable, accountId: string, feature: Feature) => {
  const [row] =
    feature === 'tracks.share'
      ? await sql<{ count: number }[]>`
          select count(*)::int as count from track_share_links s join tracks t on t.id = s.track_id
          where t.owner_id = ${accountId} and revoked_at is null and (expires_at is null or expires_at > now())`
      : await sql<{ count: number }[]>`
          select count(*)::int as count from library_shares s join libraries l on l.id = s.library_id
          where l.owner_id = ${accountId} and s.invite_status in ('pending', 'accepted')`
  return row?.count ?? 0
}

/** Refuses an account whose plan lacks a feature; answers what the plan allows and the refusal of any more. */
export const requireFeature = async (
  sql: Queryable,
  plans: readonly Plan[],
  { accountId }: Actor,
  feature: Feature,
) => {
  const [subscription] = await sql<Subscription[]>`
    select plan_id, status from subscriptions where account_id = ${accountId}`
  const { planId, status } = subscription ?? { planId: 'free', status: 'free' }
  const effectivePlanId = entitledStatuses.includes(status) ? planId : 'free'
  const allowed = plans.find((plan) => plan.id === effectivePlanId)?.entitlements[feature]
  const refusal = (current: number | null, limit: number | null) =>
    new CoreError('entitlement_required', {
      code: 'entitlement_required',
      feature,
      current,
      limit,
      planId,
      status,
      upgradeRequired: true,
    })
  if (allowed === undefined) throw refusal(null, null)
  return { allowed, refusal }
}

/** Refuses an account whose plan lacks a feature or whose live items have reached the plan's number. */
export const requireEntitlement = async (
  sql: Queryable,
  plans: readonly Plan[],
  actor: Actor,
  feature: Feature,
) => {
  const { allowed, refusal } = await requireFeature(sql, plans, actor, feature)
  if (allowed === true) return
  const current = await countLiveItems(sql, actor.accountId, feature)
  if (current >= allowed) throw refusal(current, allowed)
}

/** Lets the creations of one account pass one after another, so that two cannot share the last free place. */
export const lockEntitlement = (tx: Queryable, { accountId }: Actor, feature: Feature) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${`${feature} ${accountId}`}, 0))`
