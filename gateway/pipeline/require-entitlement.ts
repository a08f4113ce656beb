import type { Auth, Feature, Label } from '#contracts/route-table.ts'
import { entitlementRequired, requireRoom } from '#native-routes/entitlements.ts'
import type { Actor, Entitlement, Ports } from '#native-routes/ports.ts'

/** The feature that a row's auth asks for, if any. */
export const featureOf = (auth: Auth): Feature | null =>
  auth === 'actor+tracks.share'
    ? 'tracks.share'
    : auth === 'actor+collaborators.invite'
      ? 'collaborators.invite'
      : null

/**
 * The actor's entitlement to a feature; throws `entitlement_required` when the plan does not grant it or, on a
 * route that creates, when the plan's limit is reached. The handler asks again inside its transaction.
 */
export const requireEntitlement = async (
  feature: Feature,
  label: Label,
  actor: Actor,
  { entitlements, db }: Pick<Ports, 'entitlements' | 'db'>,
): Promise<Entitlement> => {
  const entitlement = await entitlements.find(actor.accountId, feature)
  if (!entitlement.granted) throw entitlementRequired(entitlement, null)
  if (label.endsWith('.create')) await requireRoom(db.read, actor, entitlement)
  return entitlement
}
