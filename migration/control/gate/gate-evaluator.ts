import type { Label } from '#contracts/route-table.ts'
import type { Database } from '#db/client/connection.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { repeat } from '#shared/repeat.ts'
import type { NativeGuard } from '../guard.ts'
import { atMostEveryTenMinutes } from '../periodic-work.ts'
import { endDrills } from '../retirement/end-drills.ts'
import type { RoutingState } from '../routing-state.ts'
import { formatStep } from '../../model/gate/evaluate-gate.ts'
import { defaultGateLimits } from '../../model/gate/gate-input.ts'
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
