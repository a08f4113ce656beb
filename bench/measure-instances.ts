import { setTimeout as sleep } from 'node:timers/promises'
import { countTransactions } from './count-transactions.ts'
import { measureAdoption, readCommits } from './fleet/adoption.ts'
import { createChanger } from './fleet/change-routing.ts'
import { createAccounts, startLoad } from './fleet/load.ts'
import { type Fleet, openFleet } from './fleet/open-fleet.ts'
import { listAccountIds, logDelayMs } from './fleet/prove-changes.ts'
import { createRoutingModel } from './fleet/routing-model.ts'
import { watchConnections } from './fleet/watch-connections.ts'
import { useAllCpus } from './machine.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { cpuSecondsOf, peakMemoryOf } from './process-usage.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'
import { createRandom } from './webhook-storm/random.ts'

const instances = 30
const requestsPerInstance = 4
const changes = 40
const changeIntervalMs = 1000
const warmUpMs = 12_000

const whole = (value: number) => Math.round(value).toLocaleString('en-US')

const sumCpu = async (fleet: Fleet) =>
  (await Promise.all(fleet.instances.map(({ pid }) => cpuSecondsOf(pid)))).reduce((sum, own) => sum + own, 0)

const measureIdle = async (fleet: Fleet, seconds: number) => {
  await sleep(warmUpMs)
  const before = await sumCpu(fleet)
  const transactions = await countTransactions(fleet.databaseUrl, seconds)
  const cpuMs = ((await sumCpu(fleet)) - before) * 1000
  return [
    whole(fleet.instances.length),
    transactions.toFixed(1),
    (cpuMs / seconds / fleet.instances.length).toFixed(1),
  ]
}

const measureIdleFleet = async (folder: string, size: number, seconds: number) => {
  const fleet = await openFleet({ folder, size })
  try {
    return await measureIdle(fleet, seconds)
  } finally {
    await fleet.stop()
  }
}

const listMemory = (fleet: Fleet) => Promise.all(fleet.instances.map(({ pid }) => peakMemoryOf(pid)))

const measureChanges = async (fleet: Fleet) => {
  const accounts = await createAccounts(fleet, listAccountIds(40))
  const connections = watchConnections(fleet)
  const load = startLoad(fleet, { accounts, rate: requestsPerInstance })
  const changer = createChanger({
    fleet,
    model: createRoutingModel(fleet.installationSalt),
    accounts,
    random: createRandom(11),
  })
  await changer.begin(5000)
  await sleep(changeIntervalMs)
  const [row] = await fleet.sql`select epoch from routing_epoch`
  for (let made = 0; made < changes; made++) {
    await changer.changeAnything()
    await sleep(changeIntervalMs)
  }
  await load.stop()
  await sleep(logDelayMs)
  const adoption = measureAdoption(fleet, await readCommits(fleet.sql, Number(row?.epoch)), new Map())
  return { adoption, samples: load.samples, peaks: await connections.stop() }
}

/**
 * Measures gateways that have nothing to do, and 30 behind PgBouncer that serve four requests per second each while
 * their routing changes. Resolves to the tables.
 */
export const measureInstances = async ({ folder }: Bench, { seconds }: BenchOptions): Promise<string> => {
  useAllCpus()
  const idle = [await measureIdleFleet(folder, 1, seconds), await measureIdleFleet(folder, 10, seconds)]
  const fleet = await openFleet({ folder, size: instances, isPooled: true })
  try {
    idle.push(await measureIdle(fleet, seconds))
    const { adoption, samples, peaks } = await measureChanges(fleet)
    const memory = await listMemory(fleet)
    const failed = samples.filter(({ status }) => status !== 200).length
    const byApplication = [...peaks.byApplication].toSorted(([left], [right]) => (left < right ? -1 : 1))
    return [
      table(['idle gateways', 'transactions/s', 'CPU ms per second, each'], idle),
      table(
        [`${instances} gateways behind PgBouncer`, 'at most'],
        [
          ['connections to PgBouncer', whole(peaks.pooled.clients)],
          ['of these, waiting at a moment', whole(peaks.pooled.waiting)],
          ['connections of PgBouncer to the server', whole(peaks.pooled.servers)],
          ...byApplication.map(([name, count]) => [`connections to the server as \`${name}\``, whole(count)]),
          ['memory of a gateway, median', `${whole(median(memory))} MB`],
          ['memory of a gateway', `${whole(Math.max(...memory))} MB`],
          ['requests, and those without 200', `${whole(samples.length)}, ${failed}`],
        ],
      ),
      table(
        [
          'adoption, ms',
          'changes',
          'median',
          'p99',
          'max',
          'last of 30, median',
          'max',
          'during stalls',
          'missing',
        ],
        [
          [
            'with notifications',
            whole(adoption.changes),
            whole(adoption.medianMs),
            whole(adoption.p99Ms),
            whole(adoption.maxMs),
            whole(adoption.lastInstance.medianMs),
            whole(adoption.lastInstance.maxMs),
            `${whole(adoption.stalled.count)}, at most ${whole(adoption.stalled.maxMs)} ms`,
            whole(adoption.missing),
          ],
        ],
      ),
    ].join('\n\n')
  } finally {
    await fleet.stop()
  }
}
