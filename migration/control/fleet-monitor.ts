import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  listFleetObservations,
  lockFleetEvaluation,
  replaceFleetObservations,
  replaceRouteReports,
  takeRouteReports,
} from '#db/queries/routing/route-observations.ts'
import { findRoutingEpoch } from '#db/queries/routing/route-states.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog } from '#gateway/observability/log.ts'
import { measureTimerWork, repeat } from '#shared/repeat.ts'
import {
  type FleetAlarm,
  type FleetObservations,
  noFleetObservations,
  observeFleet,
} from '../model/stop/fleet-stop.ts'
import { FleetState, MonitorDelta, RequestTally } from '../model/stop/stored-observations.ts'
import type { NativeGuard } from './guard.ts'
import type { RecorderOptions } from './periodic-work.ts'
import { type BaselineSchedule, type RouteReports, refreshBaselines } from './route-baselines.ts'

interface FleetMonitorOptions extends RecorderOptions {
  readonly guard: Pick<NativeGuard, 'takeDeltas' | 'stop' | 'adoptBaselines'>
}

const evaluationIntervalMs = 5000

// No label is `*`, because every label contains a dot.
const allRoutesLabel = '*'

const groupByLabel = (rows: readonly { readonly label: string; readonly report: unknown }[]) => {
  const reports = new Map<Label, MonitorDelta[]>()
  for (const { label, report } of rows) {
    // An instance of a different release may report in a different form.
    const parsed = MonitorDelta.safeParse(report)
    if (!parsed.success || !isLabel(label)) continue
    reports.set(label, [...(reports.get(label) ?? []), parsed.data])
  }
  return reports
}

const readObservations = async (tx: Queryable): Promise<FleetObservations> => {
  const rows = await listFleetObservations(tx)
  const allRoutes = RequestTally.safeParse(rows.find(({ label }) => label === allRoutesLabel)?.observed)
  const routes = rows.flatMap(({ label, observed }): [Label, FleetState][] => {
    const state = FleetState.safeParse(observed)
    return state.success && isLabel(label) ? [[label, state.data]] : []
  })
  return {
    routes: new Map(routes),
    allRoutes: allRoutes.data ?? noFleetObservations().allRoutes,
  }
}

interface Evaluation {
  readonly alarms: readonly FleetAlarm[]
  readonly reports: RouteReports
}

const evaluateReports = async (tx: Queryable): Promise<Evaluation> => {
  if (!(await lockFleetEvaluation(tx))) return { alarms: [], reports: new Map() }
  const reports = groupByLabel(await takeRouteReports(tx))
  if (reports.size === 0) return { alarms: [], reports }
  const epoch = await findRoutingEpoch(tx)
  const now = await findDatabaseTimeMs(tx)
  const observed = await readObservations(tx)
  const { alarms, routes, allRoutes } = measureTimerWork('fleet', () =>
    observeFleet(observed, reports, epoch, now),
  )
  await replaceFleetObservations(tx, [
    { label: allRoutesLabel, observed: allRoutes },
    ...[...routes].map(([label, observed]) => ({ label, observed })),
  ])
  return { alarms, reports }
}

/**
 * Reports this instance's observations, then evaluates all instances' reports unless another instance is doing so. If
 * the process ends before it has acted on an alarm, the next evaluation that finds a report raises the alarm again.
 */
export const evaluateFleet = async ({
  db,
  instanceId,
  guard,
}: Omit<FleetMonitorOptions, 'log'>): Promise<RouteReports> => {
  const deltas = [...guard.takeDeltas()].map(([label, report]) => ({ label, report }))
  if (deltas.length === 0) return new Map()
  await replaceRouteReports(db, instanceId, deltas)
  const { alarms, reports } = await db.transaction(evaluateReports)
  for (const alarm of alarms) guard.stop({ ...alarm, observer: 'fleet' })
  return reports
}

/** Evaluates every five seconds. If the database is down, unreported observations are discarded. */
export const startFleetMonitor = (options: FleetMonitorOptions) => {
  const { db, guard, log } = options
  const logThrottled = createThrottledLog(log)
  const schedule: BaselineSchedule = { refreshedAt: null }
  const evaluate = () =>
    evaluateFleet(options).catch((error): RouteReports => {
      logThrottled(error, 'failed to evaluate fleet observations')
      return new Map()
    })
  const run = async () => {
    const reports = await evaluate()
    await refreshBaselines(db, guard, reports, schedule).catch((error) =>
      logThrottled(error, 'failed to refresh route baselines'),
    )
  }
  // Runs without waiting for the first interval, because the stored baselines are needed from the first request.
  const first = run()
  const { stop } = repeat('fleet', () => first.then(run), evaluationIntervalMs)
  return {
    async close() {
      await Promise.all([first, stop()])
    },
  }
}
