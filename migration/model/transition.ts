import type { Label } from '#contracts/route-table.ts'
import { formatCommand } from '#shared/format-command.ts'
import type { RetirementFacts } from './retirement/retirement-conditions.ts'
import type { RouteScope } from './route-scope.ts'
import type { RouteState } from './route-state.ts'

/** An instance that died without shutting down, or cannot reach the database. */
interface UnknownInstance {
  readonly id: string
  /** Seconds since its last report. */
  readonly lastReportAgeS: number
}

/** Everything a change depends on besides the state. */
export interface TransitionConditions {
  /** Key of the code that would serve the route; null if this build has no handler for it. */
  readonly evidenceKey: string | null
  /** Live instances that cannot serve the route natively, for lack of a handler or settings. */
  readonly instancesWithoutHandler: readonly string[]
  /** The distinct keys that live instances have reported for the route. */
  readonly liveEvidenceKeys: readonly string[]
  /** Instances that have not reported lately and may be using an older state. They block every step towards native. */
  readonly unknownInstances: readonly UnknownInstance[]
  /** The wider scope that holds the route; undefined or null if none does. */
  readonly heldBy?: RouteScope | null
  /** The wider scope that kills the route; undefined or null if none does. */
  readonly killedBy?: RouteScope | null
  /** Current Unix time in milliseconds, for changes that depend on it. */
  readonly now?: number
  /** The facts about a route to be retired, for a drill or for good. */
  readonly retirement?: RetirementFacts
}

export type Transition =
  | { readonly kind: 'changed'; readonly state: RouteState }
  /** One sentence: what is wrong, and what would work instead. */
  | { readonly kind: 'illegal'; readonly reason: string }

/** Rejects a change with one sentence, without its full stop. */
export const illegal = (reason: string): Transition => ({ kind: 'illegal', reason })

// The column is a 32-bit integer.
const maxVersion = 2_147_483_647

/** Returns the state after a change, with the next version. Illegal if there is none. */
export const changed = (before: RouteState, changes: Partial<RouteState>): Transition =>
  before.version >= maxVersion
    ? illegal(
        `version ${before.version} of ${before.scope} cannot be incremented: set a lower one in its row of route_state`,
      )
    : { kind: 'changed', state: { ...before, ...changes, version: before.version + 1 } }

const findMissingHandler = (label: Label, { evidenceKey, instancesWithoutHandler }: TransitionConditions) => {
  if (evidenceKey === null)
    return `this instance cannot serve ${label} natively: ${formatCommand('routes', 'explain', label)} says why`
  if (instancesWithoutHandler.length === 0) return null
  return `these running instances cannot serve ${label} natively: ${instancesWithoutHandler.join(', ')}`
}

/** Names the instances that may serve an older state; null if there are none. */
export const findUnknownInstances = ({ unknownInstances }: TransitionConditions) => {
  if (unknownInstances.length === 0) return null
  const list = unknownInstances.map(({ id, lastReportAgeS }) => `${id} (for ${lastReportAgeS} s)`).join(', ')
  return `these instances have not reported and may still serve an older state: ${list}; wait until they report, or forget those that have ended: ${formatCommand('routes', 'forget', 'INSTANCE')}`
}

/** Says why native may not serve more of a route; null if it may. */
export const findObstacle = (label: Label, conditions: TransitionConditions) =>
  findMissingHandler(label, conditions) ?? findUnknownInstances(conditions)

/**
 * Lists warnings for whoever raises native's share of a route whose code was stopped automatically, or retires a route.
 */
export const listWarnings = (before: RouteState, after: RouteState, conditions: TransitionConditions) => {
  const { failedEvidenceKey } = after
  const { evidenceKey, liveEvidenceKeys } = conditions
  const runs = failedEvidenceKey !== null && [evidenceKey, ...liveEvidenceKeys].includes(failedEvidenceKey)
  const isForGood = after.stage === 'retired' && after.drillUntil === null && before.stage !== 'retired'
  return [
    ...(runs && after.weightBp > before.weightBp
      ? [
          `Code ${failedEvidenceKey} of ${after.scope} was stopped automatically and still runs. It will be stopped again unless the cause was elsewhere.`,
        ]
      : []),
    ...(isForGood
      ? [
          'The core may still serve callers who bypass the gateway, and requests through Workers: neither is counted.',
        ]
      : []),
  ]
}
