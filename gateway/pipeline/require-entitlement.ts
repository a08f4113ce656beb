import type { Auth, Feature, Label } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import { lockUseOfFeature } from '#db/queries/accounts.ts'
import { entitlementRequired, requireQuota } from '#native-routes/entitlements.ts'
import type { Actor, Entitlement, Ports } from '#native-routes/ports.ts'

/** The feature that a row's auth asks for, if any. */
export const requiredFeature = (auth: Auth): Feature | null =>
  auth === 'actor+tracks.share'
    ? 'tracks.share'
    : auth === 'actor+collaborators.invite'
      ? 'collaborators.invite'
      : null

const isCreating = (label: Label) => label.endsWith('.create')

/** Throws `entitlement_required` where the plan does not grant this or, on a route that creates, no more of it. */
export const requireGranted = async (db: Reader, entitlement: Entitlement, label: Label, actor: Actor) => {
  if (!entitlement.granted) throw entitlementRequired(entitlement, null)
  if (isCreating(label)) await requireQuota(db, actor, entitlement)
}

/** The actor's entitlement to a feature, as `requireGranted` judges it. `recheckWrites` does so again. */
export const requireEntitlement = async (
  feature: Feature,
  label: Label,
  actor: Actor,
  { entitlements, db }: Pick<Ports, 'entitlements' | 'db'>,
): Promise<Entitlement> => {
  const entitlement = await entitlements.find(actor.accountId, feature)
  await requireGranted(db.read, entitlement, label, actor)
  return entitlement
}

/**
 * The actor's entitlement with the subscription locked until the transaction ends. On a route that creates, the creations
 * of one account wait for each other here where their number is limited. To be judged by `requireGranted`.
 */
export const lockEntitlement = async (
  tx: Queryable,
  feature: Feature,
  label: Label,
  { accountId }: Actor,
  { entitlements }: Pick<Ports, 'entitlements'>,
): Promise<Entitlement> => {
  const entitlement = await entitlements.findLocked(tx, accountId, feature)
  if (isCreating(label) && entitlement.limit !== null) await lockUseOfFeature(tx, feature, accountId)
  return entitlement
}
