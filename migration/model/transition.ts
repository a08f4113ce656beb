import type { Label } from '#contracts/route-table.ts'
import { formatCommand } from '#shared/format-command.ts'
import type { UnknownInstance } from './applied-change.ts'
import { type FailedCode, hasFailed } from './failed-code.ts'
import type { RetirementFacts } from './retirement.ts'
import type { RouteScope } from './route-scope.ts'
import type { RouteState } from './route-state.ts'

export interface TransitionConditions {
  /** Key of the code that would serve the route; null if this build has no handler for it. */
  readonly evidenceKey: string | null
  /** Live instances that cannot serve the route natively, because they lack a handler or settings. */
  readonly instancesWithoutHandler: readonly string[]
  readonly liveEvidenceKeys: readonly string[]
  readonly failedCode: readonly FailedCode[]
  /** Instances that may be using an older state. Any such instance blocks every step towards native. */
  readonly unknownInstances: readonly Pick<UnknownInstance, 'id' | 'lastReportAgeS'>[]
  /** The wider scope that holds the route; undefined or null if none does. */
  readonly heldBy?: RouteScope | null
  /** The wider scope that kills the route; undefined or null if none does. */
  readonly killedBy?: RouteScope | null
  readonly now?: number
  readonly retirement?: RetirementFacts
}

export type Transition =
  | { readonly kind: 'changed'; readonly state: RouteState }
  /** `reason` is one sentence: what is wrong, and what would work instead. */
  | { readonly kind: 'illegal'; readonly reason: string }

/** Rejects a change. `reason` is a sentence without its full stop. */
export const illegal = (reason: string): Transition => ({ kind: 'illegal', reason })

// Versions are stored as 32-bit integers.
const maxVersion = 2_147_483_647

export const changed = (before: RouteState, changes: Partial<RouteState>): Transition =>
  before.version >= maxVersion
    ? illegal(
        `version ${before.version} of ${before.scope} cannot be incremented: set a lower version in its row in route_state`,
      )
    : { kind: 'changed', state: { ...before, ...changes, version: before.version + 1 } }

const findMissingHandler = (label: Label, { evidenceKey, instancesWithoutHandler }: TransitionConditions) => {
  if (evidenceKey === null)
    return `this instance cannot serve ${label} natively: ${formatCommand('routes', 'explain', label)} says why`
  if (instancesWithoutHandler.length === 0) return null
  return `these running instances cannot serve ${label} natively: ${instancesWithoutHandler.join(', ')}`
}

export const findUnknownInstances = ({ unknownInstances }: TransitionConditions) => {
  if (unknownInstances.length === 0) return null
  const list = unknownInstances.map(({ id, lastReportAgeS }) => `${id} (for ${lastReportAgeS} s)`).join(', ')
  return `these instances have not reported and may still be serving an older state: ${list}; wait until they report, or forget those that have ended: ${formatCommand('routes', 'forget', 'INSTANCE')}`
}

export const findObstacle = (label: Label, conditions: TransitionConditions) =>
  findMissingHandler(label, conditions) ?? findUnknownInstances(conditions)

export const listWarnings = (before: RouteState, after: RouteState, conditions: TransitionConditions) => {
  const { liveEvidenceKeys, failedCode } = conditions
  const running = [conditions.evidenceKey ?? [], liveEvidenceKeys].flat()
  const failed = running.find((evidenceKey) => hasFailed(after, evidenceKey, failedCode))
  const isForGood = after.stage === 'retired' && after.drillUntil === null && before.stage !== 'retired'
  return [
    ...(failed !== undefined && after.weightBp > before.weightBp
      ? [
          `The current code of ${after.scope} (${failed}) was stopped automatically. It will be stopped again unless the cause was elsewhere.`,
        ]
      : []),
    ...(isForGood
      ? [
          'The core may still serve requests that bypass the gateway or come through Workers. Neither kind is counted.',
        ]
      : []),
  ]
}
