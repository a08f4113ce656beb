import { ApiError, type QuotaName } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockUsage } from '#db/queries/locks.ts'

interface QuotaUse {
  readonly quota: QuotaName
  readonly limit: number
  readonly subjectId: string
  readonly adding: number
  count(): Promise<number>
}

/** Locks the quota's use until the transaction ends, so concurrent requests are counted one by one. */
export const requireQuotaLeft = async (
  tx: Queryable,
  { quota, limit, subjectId, adding, count }: QuotaUse,
) => {
  await lockUsage(tx, `quota.${quota}`, subjectId)
  if ((await count()) + adding > limit)
    throw new ApiError('quota_exceeded', {
      message: `You have reached the limit (${quota}: ${limit}). Remove what you no longer need and try again.`,
      quota,
      limit,
    })
}
