import { readInstallationSalt } from '#migration/control/routing-state.ts'
import { bucketOf } from '#migration/model/bucket.ts'
import type { TestAccount, TestGateway } from '#test/support/gateway.ts'
import { storeOverride } from '#test/support/routing.ts'

interface StoredWeight {
  readonly state: string
  readonly weightBp: number
}

interface SidedAccount extends TestAccount {
  readonly side: 'native' | 'core'
}

const bucketCounts = { native: 12, core: 6 }
const overrideCounts = { native: 4, core: 2 }

/**
 * Signs up 24 accounts, some for each side of `libraries.create`. Six have an override to the side opposite their
 * bucket. At a weight of 0 or 100 %, all buckets are on one side, so every account of the other side has an override. A
 * retired route has only one side.
 */
export const signUpSides = async (
  gateway: TestGateway,
  { state, weightBp }: StoredWeight,
): Promise<readonly SidedAccount[]> => {
  const salt = readInstallationSalt(gateway.settings)
  const isSelected = (accountId: string) => bucketOf(salt, 'libraries', accountId) < weightBp
  const createAccountId = (isNative: boolean) => {
    for (;;) {
      const accountId = `acct_${crypto.randomUUID()}`
      if (weightBp === 0 || weightBp === 10_000 || isSelected(accountId) === isNative) return accountId
    }
  }

  const signUp = async (side: 'native' | 'core', isOverride: boolean): Promise<SidedAccount> => {
    const isNativeByBucket = isOverride ? side === 'core' : side === 'native'
    const account = await gateway.signUp({ accountId: createAccountId(isNativeByBucket) })
    const { accountId } = account
    if (isOverride || isSelected(accountId) !== (side === 'native'))
      await storeOverride(gateway.database, { accountId, scope: 'libraries.create', side })
    return { ...account, side: state === 'retired' ? 'native' : side }
  }
  const signUpMany = (side: 'native' | 'core') => [
    ...Array.from({ length: bucketCounts[side] }, () => signUp(side, false)),
    ...Array.from({ length: overrideCounts[side] }, () => signUp(side, true)),
  ]
  return Promise.all([...signUpMany('native'), ...signUpMany('core')])
}
