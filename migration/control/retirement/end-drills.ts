import type { Database } from '#db/client/connection.ts'
import { listRouteStates } from '#db/queries/routing/route-states.ts'
import type { Log } from '#gateway/observability/log.ts'
import { describeError } from '#shared/describe-error.ts'
import type { EvidenceKeys } from '../../model/evidence-keys.ts'
import { formatMinute } from '../../model/gate/format-quantity.ts'
import { hasDrillEnded, type RouteState } from '../../model/route-state.ts'
import { parseRouteStates } from '../../model/stored-state.ts'
import { changeRouteState } from '../change-route-state.ts'
import { readTime } from './read-retirement.ts'

interface EndDrillsOptions {
  readonly db: Database['db']
  readonly evidenceKeys: EvidenceKeys
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly now?: (() => number) | undefined
}

const endDrill = async ({ scope, version, drillUntil }: RouteState, options: EndDrillsOptions) => {
  const { db, evidenceKeys, log, now } = options
  const reason = `the drill has ended at its planned time, ${formatMinute(drillUntil ?? 0)}`
  const requested = { scope, change: { kind: 'end-drill' }, who: 'auto', reason, version } as const
  try {
    const outcome = await db.transaction((tx) => changeRouteState(tx, requested, evidenceKeys, now))
    // Another instance or a person changed the route first.
    if (outcome.kind === 'stale') return
    if (outcome.kind === 'changed') log.info({ route: scope, epoch: outcome.epoch }, 'retirement drill ended')
    else log.warn({ route: scope, reason: outcome.reason }, 'end of retirement drill rejected')
  } catch (error) {
    log.error({ route: scope, failure: describeError(error) }, 'failed to end retirement drill')
  }
}

/** Instances already serve these routes natively, so this only updates the stored state and completes the audit. */
export const endDrills = async (options: EndDrillsOptions): Promise<void> => {
  const { valid } = parseRouteStates(await listRouteStates(options.db))
  const drills = valid.filter(({ drillUntil }) => drillUntil !== null)
  if (drills.length === 0) return
  const now = await readTime(options.db, options.now)
  for (const state of drills.filter((each) => hasDrillEnded(each, now))) await endDrill(state, options)
}
