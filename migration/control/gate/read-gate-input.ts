import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { findContractResult } from '#db/queries/evidence/contract-results.ts'
import { listLiveKeys, listUnknownInstances, unknownTimeoutS } from '#db/queries/routing/gateway-instances.ts'
import { listRouteStates } from '#db/queries/routing/route-states.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import type { EvidenceKeys } from '../../model/evidence-keys.ts'
import type { GateInput } from '../../model/gate/gate-input.ts'
import type { RouteScope } from '../../model/route-scope.ts'
import { initialStateOf, type RouteState } from '../../model/route-state.ts'
import { parseRouteStates } from '../../model/stored-state.ts'
import { readComparisons, type StoredComparisons } from './comparison-evidence.ts'
import { readStep } from './step-evidence.ts'

export interface GateContext {
  readonly states: ReadonlyMap<RouteScope, RouteState>
  /** Each live instance's evidence keys by label. If one label was requested, only its keys. */
  readonly liveKeys: readonly Readonly<Record<string, string>>[]
  /** The number of instances that have stopped reporting, and may still be running different code. */
  readonly unknownInstances: number
  /** Unix milliseconds, by the database's clock. */
  readonly now: number
}

/** Reads the inputs that all gates share. With a label, leaves out the other routes' evidence keys. */
export const readGateContext = async (db: Reader, label?: Label): Promise<GateContext> => {
  const { valid } = parseRouteStates(await listRouteStates(db))
  return {
    states: new Map(valid.map((state) => [state.scope, state])),
    liveKeys: await listLiveKeys(db, label),
    unknownInstances: (await listUnknownInstances(db, unknownTimeoutS)).length,
    now: await findDatabaseTimeMs(db),
  }
}

export const stateOf = ({ states }: GateContext, label: Label): RouteState =>
  states.get(label) ?? initialStateOf(label)

const readContract = async (
  db: Reader,
  label: Label,
  evidenceKey: string,
): Promise<GateInput['contract']> => {
  const result = await findContractResult(db, label, evidenceKey)
  if (result === null) return null
  const { problems, forbiddingDifferences, validUntil } = result
  return {
    evidenceKey,
    problems,
    forbiddingDifferences,
    validUntil: validUntil === null ? null : Date.parse(validUntil),
  }
}

export const readGateInput = async (
  db: Reader,
  context: GateContext,
  label: Label,
  evidenceKeys: EvidenceKeys,
): Promise<{ readonly input: GateInput; readonly comparisons: StoredComparisons | null }> => {
  const { states, liveKeys, unknownInstances, now } = context
  const evidenceKey = evidenceKeys.get(label) ?? null
  const comparisons = evidenceKey === null ? null : await readComparisons(db, label, evidenceKey, now)
  const state = stateOf(context, label)
  const input: GateInput = {
    label,
    states,
    evidenceKey,
    instances: {
      live: liveKeys.length + unknownInstances,
      onKey: liveKeys.filter((keys) => keys[label] === evidenceKey).length,
    },
    contract: evidenceKey === null ? null : await readContract(db, label, evidenceKey),
    comparisons: comparisons?.evidence ?? null,
    step: evidenceKey === null ? null : await readStep(db, label, state, evidenceKey, comparisons, now),
    waiver: null,
    now,
  }
  return { input, comparisons }
}
