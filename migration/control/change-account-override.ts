import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  type AccountOverrideRow,
  countOtherLiveOverrides,
  deleteAccountOverride,
  lockAccountOverride,
  saveAccountOverride,
} from '#db/queries/routing/account-overrides.ts'
import { insertRouteAudit } from '#db/queries/routing/route-audit.ts'
import { lockRoutingEpoch, publishRoutingEpoch } from '#db/queries/routing/route-states.ts'

// Every instance holds all overrides in memory. For more accounts than this, use a percentage.
const maxLiveOverrides = 10_000

const requireCapacity = async (tx: Queryable, override: AccountOverrideRow) => {
  if ((await countOtherLiveOverrides(tx, override)) < maxLiveOverrides) return
  throw new ApiError('account_override_limit_reached', {
    message: `There are already ${maxLiveOverrides} overrides, the limit. Remove some, or ramp the route to a percentage instead.`,
    limit: maxLiveOverrides,
  })
}

/** Stores an override, replacing any for the same account and scope. Returns the epoch. */
export const putAccountOverride = async (tx: Queryable, override: AccountOverrideRow): Promise<number> => {
  const { scope, who, reason } = override
  await lockRoutingEpoch(tx)
  await requireCapacity(tx, override)
  const before = await lockAccountOverride(tx, override)
  await saveAccountOverride(tx, override)
  const epoch = await publishRoutingEpoch(tx)
  await insertRouteAudit(tx, { who, scope, action: 'override', before, after: override, reason, epoch })
  return epoch
}

/** Removes an override. Returns the epoch; null if there is no such override. */
export const removeAccountOverride = async (
  tx: Queryable,
  { who, reason, ...key }: Pick<AccountOverrideRow, 'accountId' | 'scope' | 'who' | 'reason'>,
): Promise<number | null> => {
  await lockRoutingEpoch(tx)
  const before = await lockAccountOverride(tx, key)
  if (before === null) return null
  await deleteAccountOverride(tx, key)
  const epoch = await publishRoutingEpoch(tx)
  const { scope } = key
  await insertRouteAudit(tx, { who, scope, action: 'remove override', before, after: null, reason, epoch })
  return epoch
}
