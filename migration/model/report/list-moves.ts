import { labels } from '#contracts/shared/row.ts'
import { formatStage } from '../format-state.ts'
import { isMove, type StateChange, type StateHistory } from './state-history.ts'

interface Period {
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

const isIn = ({ at }: StateChange, { from, to }: Period) => at >= from && at <= to

/** Lists each route that moved in a period: its stage before and after, and its last move. */
export const listMoves = ({ listChanges }: StateHistory, period: Period) =>
  labels
    .flatMap((label) => {
      const steps = listChanges(label).filter((change) => isIn(change, period) && isMove(change))
      const [first] = steps
      const last = steps.at(-1)
      if (!first || !last) return []
      const { at, who, reason } = last
      const [from, to] = [formatStage(first.before), formatStage(last.after)]
      return [{ label, from, to, at, who, reason, steps: steps.length }]
    })
    .toSorted((left, right) => left.at - right.at)
    .map((move) => ({ ...move, at: new Date(move.at).toISOString() }))

// A person's hold is not a stop, because it leaves the route where it is.
const isStop = ({ action, who }: StateChange) =>
  action === 'rollback' || action === 'kill' || (action === 'hold' && who === 'auto')

const findResume = ({ listChanges }: StateHistory, { scope, at, action }: StateChange, period: Period) =>
  action === 'kill'
    ? listChanges(scope).find((change) => change.at > at && change.at <= period.to && !change.after.killed)
    : undefined

export const listStops = (history: StateHistory, period: Period) =>
  history.changes
    .filter((change) => isIn(change, period) && isStop(change))
    .map((change) => {
      const { at, who, scope, action, before, after, reason } = change
      const resumed = findResume(history, change, period)
      return {
        at: new Date(at).toISOString(),
        who,
        scope,
        action,
        from: formatStage(before),
        to: formatStage(after),
        reason,
        /** When the kill ended; null if it was still in force when the report was made. */
        resumedAt: resumed === undefined ? null : new Date(resumed.at).toISOString(),
      }
    })
