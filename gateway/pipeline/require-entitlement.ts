import { ApiError } from '#contracts/errors.ts'
import type { Auth, Feature, Label } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/client/connection.ts'
import { countLiveLibrarySharesOfOwner } from '#db/queries/libraries/library-shares.ts'
import { lockUsage } from '#db/queries/locks.ts'
import { countActiveTrackShareLinksOfOwner } from '#db/queries/tracks/track-share-links.ts'
import type { Actor, Entitlement, Ports, ReadPorts } from '#native-routes/ports.ts'

const features: Readonly<Record<string, Feature>> = {
  'actor+tracks.share': 'tracks.share',
  'actor+collaborators.invite': 'collaborators.invite',
  'actor+catalog.analysis': 'catalog.analysis',
} satisfies { readonly [F in Feature as `actor+${F}`]: F }

export const findRequiredFeature = (auth: Auth): Feature | null => features[auth] ?? null

const isCreating = (label: Label) => label.endsWith('.create')

const countLiveItems = {
  'tracks.share': countActiveTrackShareLinksOfOwner,
  'collaborators.invite': countLiveLibrarySharesOfOwner,
}

const createError = ({ feature, limit, planId, status }: Entitlement, current: number | null) =>
  new ApiError('entitlement_required', {
    code: 'entitlement_required',
    feature,
    current,
    limit,
    planId,
    status,
    upgradeRequired: true,
  })

/** Throws `entitlement_required` if the plan lacks the feature. */
export const requireFeature = (entitlement: Entitlement) => {
  if (!entitlement.granted) throw createError(entitlement, null)
}

/** Also throws `entitlement_required` if the route creates something and the plan's limit is reached. */
export const requireGranted = async (
  db: Reader,
  entitlement: Entitlement,
  label: Label,
  { accountId }: Actor,
) => {
  requireFeature(entitlement)
  const { feature, limit } = entitlement
  if (!isCreating(label) || limit === null || feature === 'catalog.analysis') return
  const current = await countLiveItems[feature](db, accountId)
  if (current >= limit) throw createError(entitlement, current)
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
 * Where a plan limits creation, also locks the account's use of the feature, so concurrent requests are counted one by
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
