import type { Bench } from './surroundings.ts'
import { table } from './tables.ts'
import { forgetEvents } from './webhook-storm/forget-events.ts'
import { startRestartableDatabase } from './webhook-storm/restartable-database.ts'
import { runStorm } from './webhook-storm/run-storm.ts'

type Report = Awaited<ReturnType<typeof runStorm>>

const kills = 20

const cellsOf = ({ accounts, events, deliveries, failures, seconds, faults }: Report) => [
  ...[accounts, events, deliveries, failures, Math.round(seconds)].map((figure) =>
    figure.toLocaleString('en-US'),
  ),
  ...[faults.lost, faults.appliedTwice, faults.differing, faults.salesAmiss, faults.warnings].map(
    (list) => `${list.length}`,
  ),
]

/**
 * Delivers 10,000 billing events in no order while the gateway is killed twenty times and the database restarted
 * twice; then some to a database that knows no event again, which must be seen. Resolves to the table.
 */
export const measureWebhookStorm = async ({ folder, databaseUrl, keep }: Bench): Promise<string> => {
  const database = await startRestartableDatabase(folder)
  keep(database)
  const restarts = [database.restart, database.restart]
  const storm = await runStorm({ folder, databaseUrl: database.url, events: 10_000, kills, restarts })

  await forgetEvents(databaseUrl)
  const control = await runStorm({ folder, databaseUrl, events: 1000, kills: 2 })
  if (control.faults.appliedTwice.length === 0) throw new Error('the control found nothing amiss')
  return [
    `Billing events, one in five twice, in no order, eight at a time; ${kills} kills (-9) of the gateway, two`,
    'restarts of the database. The control has two kills and no idempotency key.\n',
    table(
      [
        '',
        'accounts',
        'events',
        'taken',
        'not taken, and repeated',
        'seconds',
        'lost',
        'applied twice',
        'accounts that differ',
        'sales amiss',
        'warnings',
      ],
      [
        ['storm', ...cellsOf(storm)],
        ['control', ...cellsOf(control)],
      ],
    ),
  ].join('\n')
}
