import type { OperatorNotice } from '#db/queries/jobs/jobs.ts'
import { formatStage } from '../model/format-state.ts'
import type { RouteState } from '../model/route-state.ts'
import type { RouteChange } from '../model/transitions.ts'

interface MadeChange {
  readonly before: RouteState
  readonly after: RouteState
  readonly action: RouteChange['kind']
  /** The operator, or `auto`. */
  readonly who: string
}

const typeOf = ({ before, after, action, who }: MadeChange): OperatorNotice['type'] | null => {
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

/** What operators are told about a change of a route; null for what only its author needs to know. */
export const noticeOfChange = (
  change: MadeChange,
  reason: string,
  epoch: number,
): Omit<OperatorNotice, 'id' | 'at'> | null => {
  const type = typeOf(change)
  if (type === null || type === 'job.dead_lettered') return null
  const { before, after, who } = change
  const { scope } = after
  const [from, to] = [formatState(before), formatState(after)]
  return {
    type,
    summary: `${scope} ${verbs[type]} by ${who} (${from} to ${to}): ${reason}`,
    details: { scope, who, reason, before: from, after: to, epoch },
  }
}
