import { ApiError } from '#contracts/errors.ts'
import type { Feature } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { countLiveLibrarySharesOfOwner } from '#db/queries/library-shares.ts'
import { countActiveTrackShareLinksOfOwner } from '#db/queries/track-share-links.ts'
import type { Actor, Entitlement } from './ports.ts'

const countLiveItems: Record<Feature, (db: Reader, ownerId: string) => Promise<number>> = {
  'tracks.share': countActiveTrackShareLinksOfOwner,
  'collaborators.invite': countLiveLibrarySharesOfOwner,
}

/** The refusal of a plan, with what is used and allowed where the feature is counted. */
export const entitlementRequired = (
  { feature, limit, planId, status }: Entitlement,
  current: number | null,
) =>
  new ApiError('entitlement_required', {
    code: 'entitlement_required',
    feature,
    current,
    limit,
    planId,
    status,
    upgradeRequired: true,
  })

/** Throws `entitlement_required` when the account has as many live items as its plan allows. */
export const requireQuota = async (db: Reader, { accountId }: Actor, entitlement: Entitlement) => {
  if (entitlement.limit === null) return
  const current = await countLiveItems[entitlement.feature](db, accountId)
  if (current >= entitlement.limit) throw entitlementRequired(entitlement, current)
}
