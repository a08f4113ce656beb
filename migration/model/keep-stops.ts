import type { RouteScope } from './route-scope.ts'
import type { RouteState } from './route-state.ts'
import { defaultStateOf } from './stored-state.ts'

const everything: RouteScope = '*'

// Keeps a stop, because the stopped code would run again if the restored state gave native a larger share.
const keepStop = (known: RouteState, restored: RouteState): Partial<RouteState> => {
  const { failedEvidenceKey, stage, weightBp } = known
  if (failedEvidenceKey === null || failedEvidenceKey === restored.failedEvidenceKey) return {}
  return { failedEvidenceKey, ...(weightBp < restored.weightBp && { stage, weightBp, drillUntil: null }) }
}

export interface KeptState {
  readonly before: RouteState
  readonly after: RouteState
}

/**
 * Returns what an instance carries over into a database restored from an older backup: every kill, hold and automatic
 * stop that the backup lacks. Adds a hold of `*`, so that automation moves nothing until a person has checked the
 * routes.
 */
export const keepStops = (
  known: readonly RouteState[],
  restored: readonly RouteState[],
): readonly KeptState[] => {
  const restoredOf = new Map(restored.map((state) => [state.scope, state]))
  const knownOf = new Map(known.map((state) => [state.scope, state]))
  return [...new Set([everything, ...knownOf.keys()])].flatMap((scope): KeptState[] => {
    const before = restoredOf.get(scope) ?? defaultStateOf(scope)
    const mine = knownOf.get(scope) ?? before
    const killed = mine.killed || before.killed
    const held = mine.held || before.held || scope === everything
    const stop = keepStop(mine, before)
    const isKept =
      killed !== before.killed || held !== before.held || Object.keys(stop).length > 0 || scope === everything
    const version = Math.max(mine.version, before.version) + 1
    return isKept ? [{ before, after: { ...before, ...stop, killed, held, version } }] : []
  })
}
