import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#test/support/random-choices.ts'
import type { Instance } from './instance.ts'
import type { LoadAccount } from './load.ts'
import type { Fleet } from './open-fleet.ts'
import { ChangeUnknown, changeRoute, overrideAccount } from './operator-client.ts'
import type { RoutingModel, Side } from './routing-model.ts'

const label = 'tracks.list'
const area = 'tracks.*'
const sides: readonly Side[] = ['core', 'native']
const repeatAfterMs = 500

type KillChange = (instance: Instance, scope: string, kind: 'kill' | 'resume') => Promise<number>

const changeByApi: KillChange = (instance, scope, kind) => changeRoute(instance, scope, { kind })

interface ChangerOptions {
  readonly fleet: Pick<Fleet, 'instances' | 'sql'>
  readonly model: RoutingModel
  readonly accounts: readonly LoadAccount[]
  readonly random: Random
}

export const createChanger = ({ fleet, model, accounts, random }: ChangerOptions) => {
  const drawInstance = () => {
    const instance = fleet.instances[random.below(fleet.instances.length)]
    if (!instance) throw new Error('the fleet is empty')
    return instance
  }

  let lastEpoch = 0
  const findNewEpoch = async () => {
    await sleep(repeatAfterMs)
    const [row] = await fleet.sql`select max(epoch) as epoch from route_audit`
    return Number(row?.epoch) > lastEpoch ? Number(row?.epoch) : null
  }
  // Nothing else changes the routing in the meantime, so a newer epoch comes from this change.
  const change = async (make: (instance: Instance) => Promise<number>): Promise<number> => {
    try {
      lastEpoch = await make(drawInstance())
    } catch (error) {
      if (!(error instanceof ChangeUnknown)) throw error
      const made = await findNewEpoch()
      if (made === null) return change(make)
      lastEpoch = made
    }
    return lastEpoch
  }

  const ramp = async (weightBp: number) => {
    const epoch = await change((instance) => changeRoute(instance, label, { kind: 'ramp', weightBp }))
    model.setWeight(epoch, label, weightBp)
  }

  const setKilled = async (scope: string, isKilled: boolean, make: KillChange = changeByApi) => {
    const epoch = await change((instance) => make(instance, scope, isKilled ? 'kill' : 'resume'))
    model.setKilled(epoch, scope, isKilled)
  }

  const toggleKill = (scope: string) => setKilled(scope, !model.isKilled(scope))

  const override = async (accountId: string, side: Side | null) => {
    const epoch = await change((instance) => overrideAccount(instance, label, accountId, side))
    model.setOverride(epoch, label, accountId, side)
  }

  const toggleOverride = () => {
    const accountId = accounts[random.below(accounts.length)]?.accountId ?? ''
    const side = model.overrideOf(label, accountId) === null ? (sides[random.below(2)] ?? null) : null
    return override(accountId, side)
  }

  const rampToRandom = async () => {
    // A killed route has to be resumed before its weight can change.
    if (model.isKilled(label)) return toggleKill(label)
    const weightBp = 1 + random.below(9999)
    return ramp(weightBp === model.weightOf(label) ? (weightBp % 9999) + 1 : weightBp)
  }

  return {
    ramp,
    setKilled,
    override,
    async begin(weightBp: number) {
      model.setWeight(await change((instance) => changeRoute(instance, label, { kind: 'shadow' })), label, 0)
      await ramp(weightBp)
    },
    async changeAnything() {
      const kind = random.below(8)
      if (kind < 4) return rampToRandom()
      if (kind === 4) return toggleKill(label)
      return kind === 5 ? toggleKill(area) : toggleOverride()
    },
  }
}
