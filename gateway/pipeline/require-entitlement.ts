import type { Auth, Feature, Label } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import { lockUsage } from '#db/queries/locks.ts'
import { entitlementRequired, requireQuota } from '#native-routes/entitlements.ts'
import type { Actor, Entitlement, Ports, ReadPorts } from '#native-routes/ports.ts'

const features: Readonly<Record<string, Feature>> = {
  'actor+tracks.share': 'tracks.share',
  'actor+collaborators.invite': 'collaborators.invite',
  'actor+catalog.analysis': 'catalog.analysis',
} satisfies { readonly [F in Feature as `actor+${F}`]: F }

export const findRequiredFeature = (auth: Auth): Feature | null => features[auth] ?? null

const isCreating = (label: Label) => label.endsWith('.create')

/**
 * Throws `entitlement_required` if the plan lacks the feature, or if the route creates something and the feature's
 * quota is used up.
 */
export const requireGranted = async (db: Reader, entitlement: Entitlement, label: Label, actor: Actor) => {
  if (!entitlement.granted) throw entitlementRequired(entitlement, null)
  if (isCreating(label)) await requireQuota(db, actor, entitlement)
}

export const requireEntitlement = async (
  feature: Feature,
  label: Label,
  actor: Actor,
  { entitlements, db }: Pick<ReadPorts, 'entitlements' | 'db'>,
): Promise<Entitlement> => {
  const entitlement = await entitlements.find(actor.accountId, feature)
  await requireGranted(db.read, entitlement, label, actor)
  return entitlement
}

/**
 * Where a quota limits creation, also locks the account's use of the feature, so concurrent requests are counted one by
 * one. Check the result with `requireGranted`.
 */
export const lockEntitlement = async (
  tx: Queryable,
  feature: Feature,
  label: Label,
  { accountId }: Actor,
  { entitlements }: Pick<Ports, 'entitlements'>,
): Promise<Entitlement> => {
  const entitlement = await entitlements.findLocked(tx, accountId, feature)
  if (isCreating(label) && entitlement.limit !== null) await lockUsage(tx, feature, accountId)
  return entitlement
}
