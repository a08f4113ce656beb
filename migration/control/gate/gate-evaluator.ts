import type { Label } from '#contracts/route-table.ts'
import type { Database } from '#db/client/connection.ts'
import { listRouteStates } from '#db/queries/routing/route-states.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { describeError } from '#shared/describe-error.ts'
import { formatMinute } from '#shared/format-quantity.ts'
import { repeat } from '#shared/repeat.ts'
import { formatStep } from '../../model/gate/evaluate-gate.ts'
import { defaultGateLimits } from '../../model/gate/gate-input.ts'
import { hasDrillEnded, type RouteState } from '../../model/route-state.ts'
import { parseRouteStates } from '../../model/stored-state.ts'
import { changeRouteState } from '../change-route-state.ts'
import type { NativeGuard } from '../guard.ts'
import { atMostEveryTenMinutes } from '../periodic-work.ts'
import { readTime } from '../read-retirement.ts'
import type { RoutingState } from '../routing-state.ts'
import { addNewComparisons, retainEvidence } from './evidence-sets.ts'
import { evaluateGates, type GateOptions, type GateOutcome } from './promote-routes.ts'

interface GateEvaluatorOptions extends Omit<GateOptions, 'limits'> {
  readonly db: Database['db']
  readonly routing: Pick<RoutingState, 'current' | 'stored'>
  readonly guard: Pick<NativeGuard, 'stop'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly limits?: GateOptions['limits'] | undefined
  readonly onPromoted?: (label: Label) => void
  readonly intervalMs?: number
  /** Replaces the database's clock, in Unix milliseconds. */
  readonly now?: (() => number) | undefined
}

type EndDrillsOptions = Pick<GateEvaluatorOptions, 'db' | 'evidenceKeys' | 'log' | 'now'>

const storeDrillEnd = async ({ scope, version, drillUntil }: RouteState, options: EndDrillsOptions) => {
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
  for (const state of drills.filter((each) => hasDrillEnded(each, now))) await storeDrillEnd(state, options)
}

const defaultIntervalMs = 5000

/** Runs every five seconds, on one instance at a time. Moves nothing while this instance's routing state is stale. */
export const startGateEvaluator = ({
  db,
  routing,
  guard,
  log,
  limits = defaultGateLimits,
  onPromoted = () => {},
  intervalMs = defaultIntervalMs,
  now,
  ...options
}: GateEvaluatorOptions) => {
  const logThrottled = createThrottledLog(log)
  // Each finding is logged once, because every evaluation finds it again.
  const logged = new Map<string, string>()

  const isNew = (route: string, finding: string) => {
    if (logged.get(route) === finding) return false
    logged.set(route, finding)
    return true
  }

  const actOn = (found: GateOutcome) => {
    if (found.kind === 'stop') return guard.stop(found.stop)
    const { label: route, version, change } = found
    const step = formatStep(change)
    if (found.kind === 'recommended') {
      if (isNew(route, `${version} ${step}`))
        log.info({ route, step, stateVersion: version }, 'route step recommended')
      return
    }
    const { outcome } = found
    if (outcome.kind === 'changed') {
      log.info({ route, step, epoch: outcome.epoch, stateVersion: outcome.state.version }, 'route promoted')
      onPromoted(route)
    }
    if (outcome.kind !== 'illegal') return
    const { reason } = outcome
    if (isNew(route, `${version} ${reason}`))
      log.warn({ route, step, stateVersion: version, reason }, 'route promotion rejected')
  }

  const evaluate = async () => {
    const alarms = await db.transaction((tx) => addNewComparisons(tx, limits.test))
    for (const { label: route, evidenceKey, cause } of alarms)
      log.error({ route, evidenceKey, cause }, 'comparison alarm raised')
    if (routing.stored() === null || routing.current().isStale) return
    await endDrills({ db, evidenceKeys: options.evidenceKeys, log, now })
    for (const found of await db.transaction((tx) => evaluateGates(tx, { ...options, limits }))) actOn(found)
  }

  const retain = atMostEveryTenMinutes(() =>
    retainEvidence(db).catch((error) => logThrottled(error, 'failed to delete old evidence')),
  )

  const run = async () => {
    await evaluate().catch((error) => logThrottled(error, 'failed to evaluate gates'))
    await retain()
  }

  const { stop } = repeat('gate', run, intervalMs)
  return { close: stop }
}
