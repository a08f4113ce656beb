import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { findLastMoveTime } from '#db/queries/routing/route-audit.ts'
import { findFleetObservation } from '#db/queries/routing/route-observations.ts'
import { minuteMs } from '#shared/durations.ts'
import type { StepEvidence } from '../../model/gate/gate-input.ts'
import { scopesOf } from '../../model/route-scope.ts'
import type { RouteState } from '../../model/route-state.ts'
import { isRejectionAlarmed } from '../../model/stop/rejections.ts'
import { type CodeState, FleetState } from '../../model/stop/stored-observations.ts'
import type { StoredComparisons } from './comparison-evidence.ts'

/** Returns when a route, or a scope that contains it, last moved; null if never. */
export const readLastMove = async (db: Reader, label: Label): Promise<number | null> => {
  const at = await findLastMoveTime(db, scopesOf(label))
  return at === null ? null : Date.parse(at)
}

// Only observations of this code in this version of the state count.
const readCode = async (db: Reader, { version }: RouteState, label: Label, evidenceKey: string) => {
  const { data } = FleetState.safeParse(await findFleetObservation(db, label))
  if (data?.version !== version) return null
  return data.codes.find((code) => code.evidenceKey === evidenceKey) ?? null
}

// An alarm counts even while it still waits to be compared with the route's peers.
const findAlarm = (code: CodeState | null): StepEvidence['alarm'] => {
  if (code === null) return null
  if (code.errors.alarmedAt !== null) return 'errors'
  if (isRejectionAlarmed(code.rejections)) return 'rejections'
  return code.slowness.alarmedAt === null ? null : 'slowness'
}

const findStart = (
  lastMove: number | null,
  state: RouteState,
  evidenceKey: string,
  firstAt: number | null,
) => {
  if (lastMove === null || state.evidenceKey === evidenceKey) return lastMove
  // Different code was deployed after the move. `firstAt` is when it was first compared.
  return firstAt === null ? null : Math.max(lastMove, firstAt)
}

/** Returns what was observed about one code during a route's current step; null if the step's start is unknown. */
export const readStep = async (
  db: Reader,
  label: Label,
  state: RouteState,
  evidenceKey: string,
  comparisons: StoredComparisons | null,
  now: number,
): Promise<StepEvidence | null> => {
  if (state.weightBp === 0) return null
  const startedAt = findStart(
    await readLastMove(db, label),
    state,
    evidenceKey,
    comparisons?.evidence.firstAt ?? null,
  )
  if (startedAt === null) return null
  const code = await readCode(db, state, label, evidenceKey)
  const nativeRequests = code?.native.total.requests ?? 0
  const { alarmAt = null, evidence } = comparisons ?? {}
  const isMismatchRecent = alarmAt !== null && alarmAt > startedAt
  return {
    evidenceKey,
    startedAt,
    nativeRequests,
    nativeRequestsPerMinute: nativeRequests / Math.max(1, (now - startedAt) / minuteMs),
    alarm: (isMismatchRecent ? evidence?.alarm : null) ?? findAlarm(code),
  }
}
