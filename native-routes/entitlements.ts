import { ApiError } from '#contracts/errors.ts'
import type { Feature } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { countLiveLibrarySharesOfOwner } from '#db/queries/libraries/library-shares.ts'
import { countActiveTrackShareLinksOfOwner } from '#db/queries/tracks/track-share-links.ts'
import type { Actor, Entitlement } from './ports.ts'

type CountedFeature = Exclude<Feature, 'catalog.analysis'>

const countLiveItems: Record<CountedFeature, (db: Reader, ownerId: string) => Promise<number>> = {
  'tracks.share': countActiveTrackShareLinksOfOwner,
  'collaborators.invite': countLiveLibrarySharesOfOwner,
}

/** `current` is how much of the quota is used; null if there is none. */
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

export const requireQuota = async (db: Reader, { accountId }: Actor, entitlement: Entitlement) => {
  const { feature, limit } = entitlement
  if (limit === null || feature === 'catalog.analysis') return
  const current = await countLiveItems[feature](db, accountId)
  if (current >= limit) throw entitlementRequired(entitlement, current)
}
