import type { Bench } from './open-bench.ts'
import { table } from './tables.ts'
import { disableDeduplication } from './webhook-storm/disable-deduplication.ts'
import { startRestartableDatabase } from './webhook-storm/restartable-database.ts'
import { runStorm } from './webhook-storm/run-storm.ts'

type Report = Awaited<ReturnType<typeof runStorm>>

const kills = 20

const formatCells = ({ accounts, events, deliveries, failures, seconds, faults }: Report) => [
  ...[accounts, events, deliveries, failures, Math.round(seconds)].map((figure) =>
    figure.toLocaleString('en-US'),
  ),
  ...[faults.lost, faults.appliedTwice, faults.differing, faults.wrongSales, faults.warnings].map(
    (list) => `${list.length}`,
  ),
]

/**
 * Delivers 10,000 billing events in random order while the gateway is killed twenty times and the database restarted
 * twice. Then, as a control, 1,000 events without deduplication, which the check must report. Resolves to the table.
 */
export const measureWebhookStorm = async ({ folder, databaseUrl, stopAtEnd }: Bench): Promise<string> => {
  const database = await startRestartableDatabase(folder)
  stopAtEnd(database)
  const restarts = [database.restart, database.restart]
  const storm = await runStorm({ folder, databaseUrl: database.url, events: 10_000, kills, restarts })

  await disableDeduplication(databaseUrl)
  const control = await runStorm({ folder, databaseUrl, events: 1000, kills: 2 })
  if (control.faults.appliedTwice.length === 0)
    throw new Error('the control did not detect events applied twice')
  return [
    `Billing events, one in five twice, in random order, eight at a time; ${kills} kills (-9) of the gateway, two`,
    'restarts of the database. The control has two kills and no idempotency key.\n',
    table(
      [
        '',
        'accounts',
        'events',
        'accepted',
        'failed and repeated',
        'seconds',
        'lost',
        'applied twice',
        'differing accounts',
        'wrong sales',
        'warnings',
      ],
      [
        ['storm', ...formatCells(storm)],
        ['control', ...formatCells(control)],
      ],
    ),
  ].join('\n')
}
