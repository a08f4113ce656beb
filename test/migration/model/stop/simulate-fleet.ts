import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import type { Alarm } from '#migration/model/stop/alarm.ts'
import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import { type FleetAlarm, noFleetObservations, observeFleet } from '#migration/model/stop/fleet-stop.ts'
import type { ObservedStep } from '#migration/model/stop/observed-step.ts'
import { createRequestTally } from '#migration/model/stop/request-counts.ts'
import { RouteMonitor } from '#migration/model/stop/route-monitor.ts'
import type { MonitorDelta } from '#migration/model/stop/stored-observations.ts'
import { full, usualBehaviour } from './simulate.ts'

const requestsPerSecond = 40
const medianMs = 5
const reportIntervalMs = 5000

/** The stored usual p95. Responses count as slow above 1.2 times this plus 20 ms. */
const usualP95Ms = 10

/** Most responses take a few milliseconds, and some several times as long. */
const drawDurationMs = (random: () => number) => medianMs * (0.5 + 0.7 * -Math.log(1 - random()))

export const createFleet = (
  random: () => number,
  weights: readonly number[],
  { step = full, instances = 2 }: { step?: ObservedStep; instances?: number } = {},
) => {
  const clock = { now: 0 }
  const found: (Alarm | FleetAlarm)[] = []
  const routes = labels.slice(0, weights.length)
  const options = { now: () => clock.now, health: unmeasuredDatabase }
  const fleet = Array.from({ length: instances }, () => {
    const allRoutes = createRequestTally()
    return routes.map((label) => {
      const monitor = new RouteMonitor(step, allRoutes, options)
      const usual = { ...usualBehaviour, p95Ms: usualP95Ms }
      monitor.adoptStored({ core: step.nativeTraffic === 'some' ? usual : null, native: usual })
      return { label, monitor }
    })
  })
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0)
  let observations: ReturnType<typeof noFleetObservations> = noFleetObservations()
  let reportAt = reportIntervalMs

  // The instances take turns: each call evaluates the routes of one instance.
  const evaluate = (monitors: (typeof fleet)[number]) => {
    const reports = new Map<Label, MonitorDelta[]>()
    for (const { label, monitor } of monitors) {
      const delta = monitor.takeDelta('key')
      if (delta) reports.set(label, [delta])
    }
    const { alarms, allRoutes, routes: observed } = observeFleet(observations, reports, 1, clock.now)
    observations = { allRoutes, routes: new Map([...observations.routes, ...observed]) }
    found.push(...alarms)
  }

  const selectRoute = () => {
    let left = random() * totalWeight
    return weights.findIndex((weight) => {
      left -= weight
      return left < 0
    })
  }

  /**
   * Serves 40 requests per second. `slownessOf` says how many times longer a route's requests take on a side. Returns
   * the alarms that are not void.
   */
  const serve = (
    seconds: number,
    slownessOf: (route: number, side: 'native' | 'core') => number = () => 1,
  ) => {
    found.length = 0
    const end = clock.now + seconds * 1000
    while (clock.now < end) {
      clock.now += (-Math.log(1 - random()) * 1000) / requestsPerSecond
      const route = Math.max(0, selectRoute())
      const monitor = fleet[Math.floor(random() * instances)]?.[route]?.monitor
      const side = step.nativeTraffic === 'some' && random() < 0.5 ? 'core' : 'native'
      const durationMs = drawDurationMs(random) * slownessOf(route, side)
      if (side === 'core') monitor?.recordCore(false, durationMs, 1)
      else {
        const alarm = monitor?.recordNative(false, false, durationMs, 1)
        if (alarm?.peer === null) found.push(alarm)
      }
      if (clock.now < reportAt) continue
      reportAt = clock.now + reportIntervalMs / instances
      const next = fleet.shift()
      if (!next) continue
      fleet.push(next)
      evaluate(next)
    }
    return [...found]
  }
  return { serve, clock }
}
