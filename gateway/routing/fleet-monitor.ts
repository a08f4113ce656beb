import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  listFleetObservations,
  lockFleetEvaluation,
  replaceFleetObservations,
  replaceRouteReports,
  takeRouteReports,
} from '#db/queries/route-observations.ts'
import { FleetState, observeFleet } from '#migration/routing/stop/fleet-stop.ts'
import { MonitorDelta } from '#migration/routing/stop/monitor-delta.ts'
import type { Log } from '../observability/log.ts'
import { createThrottledLog } from '../observability/throttled-log.ts'
import type { RouteStop, StopMonitor } from './stop-monitor.ts'

interface FleetMonitorOptions {
  readonly db: Queryable & { transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> }
  readonly instanceId: string
  readonly stops: Pick<StopMonitor, 'takeDeltas' | 'stop'>
  readonly log: Pick<Log, 'error'>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

interface StartedFleetMonitor {
  /** Ends after the evaluation that is in progress. */
  close(): Promise<void>
}

const evaluationIntervalMs = 5000

const groupByLabel = (rows: readonly { readonly label: string; readonly report: unknown }[]) => {
  const reports = new Map<Label, MonitorDelta[]>()
  for (const { label, report } of rows) {
    // A report of an instance with another version of the code may have another form.
    const parsed = MonitorDelta.safeParse(report)
    if (!parsed.success || !isLabel(label)) continue
    reports.set(label, [...(reports.get(label) ?? []), parsed.data])
  }
  return reports
}

const evaluate = async (tx: Queryable, now: number): Promise<readonly RouteStop[]> => {
  if (!(await lockFleetEvaluation(tx))) return []
  const reports = groupByLabel(await takeRouteReports(tx))
  if (reports.size === 0) return []
  const stored = new Map((await listFleetObservations(tx)).map(({ label, observed }) => [label, observed]))
  const observed = [...reports].map(([label, ofRoute]) => {
    const before = FleetState.safeParse(stored.get(label))
    return { label, ...observeFleet(before.success ? before.data : null, ofRoute, now) }
  })
  await replaceFleetObservations(
    tx,
    observed.map(({ label, state }) => ({ label, observed: state })),
  )
  return observed.flatMap(({ label, state: { version }, cause }) =>
    cause === null ? [] : [{ label, version, cause, observer: 'fleet' as const }],
  )
}

/**
 * Reports what this instance has observed, then evaluates what all instances have reported, unless another one does so at
 * the moment. An alarm that is lost because the process ends is raised again by the next evaluation with a report.
 */
export const evaluateFleet = async ({
  db,
  instanceId,
  stops,
  now = Date.now,
}: Omit<FleetMonitorOptions, 'log'>) => {
  const reports = [...stops.takeDeltas()].map(([label, report]) => ({ label, report }))
  if (reports.length === 0) return
  await replaceRouteReports(db, instanceId, reports)
  for (const stop of await db.transaction((tx) => evaluate(tx, now()))) stops.stop(stop)
}

/** Evaluates every five seconds. What cannot be reported, because the database is unavailable, is discarded. */
export const startFleetMonitor = (options: FleetMonitorOptions): StartedFleetMonitor => {
  let evaluation: Promise<void> = Promise.resolve()
  let isEvaluating = false
  const logThrottled = createThrottledLog(options.log)
  const run = async () => {
    isEvaluating = true
    try {
      await evaluateFleet(options)
    } catch (error) {
      logThrottled(error, 'failed to evaluate fleet observations')
    } finally {
      isEvaluating = false
    }
  }
  const timer = setInterval(() => {
    if (!isEvaluating) evaluation = run()
  }, evaluationIntervalMs)
  timer.unref()
  return {
    close() {
      clearInterval(timer)
      return evaluation
    },
  }
}
