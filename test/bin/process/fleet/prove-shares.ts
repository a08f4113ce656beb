import { createRandom } from '#test/support/random-choices.ts'
import { createChanger } from './change-routing.ts'
import { createAccounts, createConnections, type LoadSample, sendRequest } from './load.ts'
import { openFleet } from './open-fleet.ts'
import { listAccountIds } from './prove-changes.ts'
import { createRoutingModel } from './routing-model.ts'

interface SharesOptions {
  readonly folder: string
  readonly accounts: number
}

export interface ShareReport {
  readonly weightBp: number
  readonly native: number
  /** Accounts that were served by different sides on different instances. */
  readonly differing: number
  /** Accounts that native served at a smaller weight but not at this one. */
  readonly lost: number
}

const weights = [100, 500, 2500, 5000, 9900]
const concurrency = 16

const sendAll = async <T, R>(items: readonly T[], send: (item: T) => Promise<R>) => {
  const pending = items.entries()
  const results: R[] = []
  const work = async () => {
    for (const [index, item] of pending) results[index] = await send(item)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return results
}

export const proveShares = async ({
  folder,
  accounts: count,
}: SharesOptions): Promise<readonly ShareReport[]> => {
  const fleet = await openFleet({ folder })
  const dispatcher = createConnections()
  try {
    const accounts = await createAccounts(fleet, listAccountIds(count))
    const model = createRoutingModel(fleet.installationSalt)
    const changer = createChanger({ fleet, model, accounts, random: createRandom(13) })
    const isNative = ({ runtime }: LoadSample) => runtime === 'native'
    const reports: ShareReport[] = []
    let before = new Set<string>()
    for (const weightBp of weights) {
      await (weightBp === weights[0] ? changer.begin(weightBp) : changer.ramp(weightBp))
      const sides = await sendAll(accounts, async (account) => {
        const ofInstances = fleet.instances.map((instance) =>
          sendRequest(dispatcher, instance, 'tracks.list', account),
        )
        const served = (await Promise.all(ofInstances)).filter(isNative).length
        return { accountId: account.accountId, served }
      })
      const native = new Set(sides.filter(({ served }) => served > 0).map(({ accountId }) => accountId))
      reports.push({
        weightBp,
        native: native.size,
        differing: sides.filter(({ served }) => served > 0 && served < fleet.instances.length).length,
        lost: [...before].filter((accountId) => !native.has(accountId)).length,
      })
      before = native
    }
    return reports
  } finally {
    await dispatcher.close()
    await fleet.stop()
  }
}
