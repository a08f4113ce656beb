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

/** The routes that create what a plan limits, and what counts against that limit. */
const liveItems: { readonly [L in Label]?: (db: Reader, accountId: string) => Promise<number> } = {
  'tracks.share-links.create': countActiveTrackShareLinksOfOwner,
  'libraries.shares.create': countLiveLibrarySharesOfOwner,
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
  const { limit } = entitlement
  const countLiveItems = liveItems[label]
  if (!countLiveItems || limit === null) return
  const current = await countLiveItems(db, accountId)
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
  if (liveItems[label] && entitlement.limit !== null) await lockUsage(tx, feature, accountId)
  return entitlement
}
