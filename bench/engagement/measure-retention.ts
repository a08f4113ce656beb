import type postgres from 'postgres'
import { openDatabase } from '#db/client/connection.ts'
import {
  countPagesOfVisits,
  deleteEngagementEvents,
  deleteVisitsOnPages,
} from '#db/queries/engagement-retention.ts'
import { table } from '../tables.ts'
import type { EngagementStore } from './open-store.ts'
import { readWalPosition } from './wal.ts'

const days = 5
const limits = { owners: 500, events: 1000 }

interface Removal {
  readonly rows: number
  readonly ms: number
  readonly walBytes: number
}

const measure = async (sql: postgres.Sql, remove: () => Promise<number>): Promise<Removal> => {
  const walBefore = await readWalPosition(sql)
  const start = performance.now()
  const rows = await remove()
  return { rows, ms: performance.now() - start, walBytes: (await readWalPosition(sql)) - walBefore }
}

const deleteAll = async (url: string, before: string) => {
  const database = openDatabase(url, { connections: 1 })
  let afterOwner = ''
  let rows = 0
  try {
    for (;;) {
      const { deleted, lastOwner } = await deleteEngagementEvents(database.db, {
        ...limits,
        before,
        afterOwner,
      })
      rows += deleted
      if (lastOwner === null) return rows
      if (deleted < limits.events) afterOwner = lastOwner
    }
  } finally {
    await database.close()
  }
}

const scanVisits = async (url: string) => {
  const database = openDatabase(url, { connections: 1 })
  try {
    const pages = await countPagesOfVisits(database.db)
    for (let from = 0; from < pages; from += 500)
      await deleteVisitsOnPages(database.db, { day: '2000-01-01', from, to: from + 500 })
    return pages
  } finally {
    await database.close()
  }
}

// The same rows in a partition of their own, with the same indexes.
const createPartition = async (sql: postgres.Sql, before: string) => {
  await sql`drop table if exists bench_partitioned`
  await sql`create table bench_partitioned (like engagement_events) partition by range (occurred_at)`
  await sql`alter table bench_partitioned add primary key (id, occurred_at)`
  await sql`create index on bench_partitioned (owner_id, occurred_at, id)`
  await sql.unsafe(
    `create table bench_partition partition of bench_partitioned for values from (minvalue) to ('${before}')`,
  )
  const { count } =
    await sql`insert into bench_partitioned select * from engagement_events where occurred_at < ${before}`
  return count
}

const describeRemoval = (name: string, { rows, ms, walBytes }: Removal) => [
  name,
  rows.toLocaleString('en-US'),
  (ms / 1000).toFixed(2),
  ((rows / ms) * 1000).toFixed(0),
  (walBytes / 1e6).toFixed(1),
]

/** Measures the removal of the oldest five days by the jobs, and by dropping a partition of the same rows. */
export const measureRetention = async ({ url, sql }: EngagementStore) => {
  const [oldest] =
    await sql`select min(occurred_at) + make_interval(days => ${days}) as before from engagement_events`
  const before: string = oldest?.before.toISOString()
  const inPartition = await createPartition(sql, before)
  const size = async () =>
    Number((await sql`select pg_total_relation_size('engagement_events') as bytes`)[0]?.bytes) / 1e9
  const sizeBefore = await size()
  const removals = {
    'partition dropped': await measure(sql, async () => {
      await sql`drop table bench_partition`
      return inPartition
    }),
    'deleted by the jobs': await measure(sql, () => deleteAll(url, before)),
    'nothing to delete': await measure(sql, () => deleteAll(url, before)),
    'pages of visits scanned': await measure(sql, () => scanVisits(url)),
  }
  await sql`drop table bench_partitioned`
  return [
    table(
      ['retention', 'rows', 'seconds', 'rows per second', 'WAL MB'],
      Object.entries(removals).map(([name, removal]) => describeRemoval(name, removal)),
    ),
    `The table and its indexes: ${sizeBefore.toFixed(1)} GB before, ${(await size()).toFixed(1)} GB after.`,
  ].join('\n\n')
}
