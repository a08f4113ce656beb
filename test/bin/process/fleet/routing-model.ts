import type { Label } from '#contracts/route-table.ts'
import { bucketOf } from '#migration/model/bucket.ts'
import { areaOf, scopesOf } from '#migration/model/route-scope.ts'
import { fullWeightBp, initialStateOf } from '#migration/model/route-state.ts'

export type Side = 'core' | 'native'

interface ModelState {
  readonly weights: ReadonlyMap<string, number>
  readonly kills: ReadonlySet<string>
  /** Keyed by label and account id. */
  readonly overrides: ReadonlyMap<string, Side>
}

const keyOf = (label: string, accountId: string) => `${label} ${accountId}`

/** Derives the routing at each epoch from the changes that were made, to compare the instances' decisions with it. */
export const createRoutingModel = (installationSalt: string) => {
  const states = new Map<number, ModelState>()
  let current: ModelState = { weights: new Map(), kills: new Set(), overrides: new Map() }
  states.set(0, current)

  const adopt = (epoch: number, changes: Partial<ModelState>) => {
    current = { ...current, ...changes }
    states.set(epoch, current)
  }

  return {
    weightOf: (label: Label) => current.weights.get(label) ?? initialStateOf(label).weightBp,
    isKilled: (scope: string) => current.kills.has(scope),
    overrideOf: (label: Label, accountId: string) => current.overrides.get(keyOf(label, accountId)) ?? null,
    setWeight(epoch: number, label: Label, weightBp: number) {
      adopt(epoch, { weights: new Map([...current.weights, [label, weightBp]]) })
    },
    setKilled(epoch: number, scope: string, isKilled: boolean) {
      const others = [...current.kills].filter((killed) => killed !== scope)
      adopt(epoch, { kills: new Set(isKilled ? [...others, scope] : others) })
    },
    setOverride(epoch: number, label: Label, accountId: string, side: Side | null) {
      const overrides = new Map(current.overrides)
      if (side === null) overrides.delete(keyOf(label, accountId))
      else overrides.set(keyOf(label, accountId), side)
      adopt(epoch, { overrides })
    },
    /** Returns the side that serves the account at an epoch; null if no recorded change led to that epoch. */
    sideAt(epoch: number, label: Label, accountId: string): Side | null {
      const state = states.get(epoch)
      if (!state) return null
      if (scopesOf(label).some((scope) => state.kills.has(scope))) return 'core'
      const chosen = state.overrides.get(keyOf(label, accountId))
      if (chosen) return chosen
      const weightBp = state.weights.get(label) ?? initialStateOf(label).weightBp
      if (weightBp === fullWeightBp) return 'native'
      return bucketOf(installationSalt, areaOf(label), accountId) < weightBp ? 'native' : 'core'
    },
  }
}

export type RoutingModel = ReturnType<typeof createRoutingModel>
