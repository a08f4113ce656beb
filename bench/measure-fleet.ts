import { cpus, loadavg } from 'node:os'
import type { AdoptionReport } from './fleet/adoption.ts'
import type { RequestReport } from './fleet/check-requests.ts'
import { proveChanges } from './fleet/prove-changes.ts'
import { proveConfiguredKill } from './fleet/prove-configured-kill.ts'
import { proveKills } from './fleet/prove-kills.ts'
import { proveOutage } from './fleet/prove-outage.ts'
import { proveRollingDeploy } from './fleet/prove-rolling-deploy.ts'
import { proveShares } from './fleet/prove-shares.ts'
import { proveStop, type StopReport } from './fleet/prove-stops.ts'
import { useAllCpus } from './machine.ts'
import type { Bench } from './open-bench.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'

const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const highest = (values: readonly (number | null)[]) =>
  values.includes(null) ? 'never' : whole(Math.max(...values.map((value) => value ?? 0)))

const adoptionRow = (name: string, { lastInstance, stalled, control, ...adoption }: AdoptionReport) => [
  name,
  whole(adoption.changes),
  whole(adoption.medianMs),
  whole(adoption.p99Ms),
  whole(adoption.maxMs),
  whole(lastInstance.medianMs),
  whole(lastInstance.maxMs),
  stalled.count === 0 ? '0' : `${whole(stalled.count)}, at most ${whole(stalled.maxMs)} ms`,
  whole(adoption.missing),
  control.count === 0 ? '' : whole(control.medianMs),
]

const requestRow = (name: string, report: RequestReport) => [
  name,
  ...[
    report.requests,
    report.native,
    report.aborted,
    report.unlogged,
    report.otherEpoch,
    report.otherSide,
  ].map(whole),
]

const measureChanges = async (folder: string) => {
  const notified = await proveChanges({ folder, changes: 1000 })
  const polled = await proveChanges({ folder, changes: 200, losesNotifications: true })
  const kills = await proveKills({ folder, kills: 20, commands: 5 })
  const outage = await proveOutage({ folder, seconds: 60 })
  const adoptions = table(
    [
      'adoption, ms',
      'changes',
      'median',
      'p99',
      'max',
      'last of five, median',
      'max',
      'during stalls',
      'missing',
      'control, median',
    ],
    [
      adoptionRow('with notifications', notified.adoption),
      adoptionRow('without notifications', polled.adoption),
    ],
  )
  const requests = table(
    ['requests', 'all', 'native tried', 'aborted', 'without one log line', 'other epoch', 'other side'],
    [
      requestRow('changes with notifications', notified.requests),
      requestRow('changes without notifications', polled.requests),
      requestRow('kills', kills.requests),
      requestRow('60 s without the database', outage.requests),
    ],
  )
  const killRows = (['API', 'command'] as const).flatMap((by) => {
    const made = kills.kills.filter((kill) => kill.by === by)
    const counted = made.filter(({ isStalled }) => !isStalled)
    const stalled = made.filter(({ isStalled }) => isStalled).map(({ lastNativeMs }) => lastNativeMs)
    const durations = counted.map(({ lastNativeMs }) => lastNativeMs)
    const completed = whole(median(made.map(({ completedMs }) => completedMs)))
    const late = stalled.length === 0 ? '0' : `${stalled.length}, at most ${highest(stalled)} ms`
    return durations.length === 0
      ? []
      : [
          [
            `kill by the ${by}`,
            `${made.length}`,
            whole(median(durations)),
            highest(durations),
            late,
            completed,
          ],
        ]
  })
  const killTable = table(
    [
      'ms until native accepted the last request',
      'kills',
      'median',
      'max',
      'during stalls',
      'completed, median',
    ],
    killRows,
  )
  const outageTable = table(
    ['60 s without the database', ''],
    [
      [
        'requests that arrived over 6 s later with another reason than stale or breaker',
        whole(outage.notStale),
      ],
      ['automatic changes, and log lines of stops', `${outage.automaticChanges}, ${outage.stopLines}`],
      ['ms from its return until the last instance had adopted a change', highest(outage.adoptedAfterMs)],
      ['stalls in that time', outage.isStalled ? 'yes' : 'none'],
    ],
  )
  return [adoptions, requests, killTable, outageTable]
}

const stopRow = (name: string, report: StopReport) => [
  name,
  `${report.cause}, ${report.observer}`,
  report.nativeRequests.join(', '),
  report.seconds.toFixed(1),
  highest(report.rolledBackAfterMs),
  report.isStalled ? 'yes' : 'none',
]

const measureStops = async (folder: string) => {
  const failing = { folder, fault: 'failing handler', weightBp: 100, timeoutMs: 60_000 } as const
  const slow = { folder, fault: 'slow handler', weightBp: 5000, timeoutMs: 180_000 } as const
  return table(
    [
      'automatic stop',
      'cause, observer',
      'native requests by instance',
      's until the alarm',
      'ms until the last instance had adopted the rollback',
      'stalls in that time',
    ],
    [
      stopRow('500 to every client, one instance of five, 1 %', await proveStop({ ...failing, faulty: 1 })),
      stopRow('the same, all five', await proveStop({ ...failing, faulty: 5 })),
      stopRow('30 % of responses 400 ms late, all five, 50 %', await proveStop({ ...slow, faulty: 5 })),
      stopRow('the same, one instance of five', await proveStop({ ...slow, faulty: 1 })),
    ],
  )
}

const measureConfiguredKill = async (folder: string) => {
  const { requests, disabled, nativeBefore, nativeAfter } = await proveConfiguredKill(folder)
  return table(
    ['restarts with `GATEWAY_KILL` without the database', 'requests'],
    [
      ['native tried before', whole(nativeBefore)],
      ['after', whole(requests)],
      ['of these, forwarded as `disabled`', whole(disabled)],
      ['of these, native tried', whole(nativeAfter)],
    ],
  )
}

const measureDeploy = async (folder: string) => {
  const { requests, forwarded, statuses, raiseStatus, namesInstance } = await proveRollingDeploy(folder)
  return table(
    ['one of five instances without the handler', ''],
    [
      ['requests of the native route to it, and forwarded', `${whole(requests)}, ${whole(forwarded)}`],
      [
        'statuses of all requests',
        Object.entries(statuses)
          .map(([status, count]) => `${count} x ${status}`)
          .join(', '),
      ],
      ['raising the weight', `${raiseStatus}${namesInstance ? ', names the instance' : ''}`],
    ],
  )
}

const measureShares = async (folder: string) => {
  const accounts = 1000
  const reports = await proveShares({ folder, accounts })
  return table(
    ['weight', 'share of 1,000 accounts', 'differing between instances', 'native at a smaller weight only'],
    reports.map(({ weightBp, native, differing, lost }) => [
      `${weightBp / 100} %`,
      `${((100 * native) / accounts).toFixed(1)} %`,
      whole(differing),
      whole(lost),
    ]),
  )
}

const describeLoad = () => `load average ${loadavg()[0]?.toFixed(1)} on ${cpus().length} CPUs`

/**
 * Measures five gateway processes on one database while their routing changes, the database is lost and handlers have
 * faults; each serves 40 requests per second. Takes about 15 minutes. Resolves to the tables.
 */
export const measureFleet = async ({ folder }: Bench): Promise<string> => {
  useAllCpus()
  const before = describeLoad()
  const tables = [
    ...(await measureChanges(folder)),
    await measureConfiguredKill(folder),
    await measureStops(folder),
    await measureDeploy(folder),
    await measureShares(folder),
  ]
  return [`Before: ${before}. After: ${describeLoad()}.`, ...tables].join('\n\n')
}
