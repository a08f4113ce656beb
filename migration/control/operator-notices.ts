import type { Label } from '#contracts/route-table.ts'
import { idOfEvent } from '#db/new-id.ts'
import type { OperatorNotice } from '#db/queries/jobs/jobs.ts'
import type { RouteChange } from '../model/apply-change.ts'
import { formatStage } from '../model/format-state.ts'
import type { RouteState } from '../model/route-state.ts'

interface MadeChange {
  readonly before: RouteState
  readonly after: RouteState
  readonly action: RouteChange['kind']
  readonly who: string
}

const typeOf = ({ before, after, action, who }: MadeChange): keyof typeof verbs | null => {
  const isAutomatic = who === 'auto'
  switch (action) {
    case 'kill':
      return 'route.killed'
    case 'resume':
      return 'route.resumed'
    case 'rollback':
      return 'route.stopped'
    case 'hold':
      return isAutomatic ? 'route.held' : null
    case 'end-drill':
      return 'drill.ended'
    case 'shadow':
    case 'ramp':
      return after.weightBp > before.weightBp || (isAutomatic && before.stage === 'proxy')
        ? 'route.promoted'
        : null
    default:
      return null
  }
}

const verbs = {
  'route.killed': 'was killed',
  'route.resumed': 'was resumed',
  'route.stopped': 'was stopped',
  'route.held': 'is held: automation is frozen',
  'route.promoted': 'was promoted',
  'drill.ended': 'ended its drill',
} as const

const formatState = (state: RouteState) => (state.killed ? 'killed' : formatStage(state) || 'as its routes')

/** Returns what to tell operators about a route's change; null if only the person who made it needs to know. */
export const noticeOfChange = (
  change: MadeChange,
  reason: string,
  epoch: number,
): Omit<OperatorNotice, 'id' | 'at'> | null => {
  const type = typeOf(change)
  if (type === null) return null
  const { before, after, who } = change
  const { scope } = after
  const [from, to] = [formatState(before), formatState(after)]
  return {
    type,
    summary: `${scope} ${verbs[type]} by ${who} (${from} to ${to}): ${reason}`,
    details: { scope, who, reason, before: from, after: to, epoch },
  }
}

interface ReadyStep {
  readonly label: Label
  readonly version: number
  readonly evidenceKey: string | null
  /** For example `shadow` or `5 %`. */
  readonly step: string
}

export const noticeOfReadyStep = (
  { label, version, evidenceKey, step }: ReadyStep,
  now: number,
): OperatorNotice => ({
  id: idOfEvent(`gate ready ${label} ${version} ${evidenceKey} ${step}`),
  type: 'route.gate_ready',
  at: new Date(now).toISOString(),
  summary: `${label} is ready for its next step, ${step}: no check of its gate blocks it`,
  details: { scope: label, step, stateVersion: version },
})

export const noticeOfOpenBreaker = (breaker: string, reportedAt: string): OperatorNotice => ({
  id: idOfEvent(`breaker ${breaker} ${reportedAt}`),
  type: 'breaker.open',
  at: new Date(reportedAt).toISOString(),
  summary:
    breaker === 'core'
      ? "The core's circuit breaker has been open for more than a minute, so requests to the core fail"
      : `The breaker of ${breaker} has been open for more than a minute, so the core serves the route`,
  details: { breaker },
})
