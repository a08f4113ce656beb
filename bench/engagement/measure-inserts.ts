import type postgres from 'postgres'
import { newId } from '#db/new-id.ts'
import type { EventStore } from '#gateway/adapters/event-queue.ts'
import { median } from '../statistics.ts'
import { table } from '../tables.ts'
import type { EngagementStore } from './open-store.ts'
import { readWalPosition } from './wal.ts'
import { openWriters, type Writer } from './writers.ts'

const batchSize = 500
const batchesPerRound = 20
const types = [
  'viewed',
  'played',
  'progress',
  'progress',
  'completed',
  'played',
  'progress',
  'downloaded',
] as const
const sessionCount = (batchSize * batchesPerRound) / types.length

interface Session {
  readonly owner: string
  readonly pack: string
  readonly link: string
  readonly track: string
  readonly visitor: string
}

// Sessions of the accounts, packs and links that have events, some of visitors who return.
const selectSessions = (sql: postgres.Sql, rows: number) => sql<Session[]>`
  select owner, pack, link, track_1 as track, visitor
  from bench_sessions tablesample bernoulli (${Math.min(100, (sessionCount * 10_000) / rows)})
  limit ${sessionCount}`

const createBatches = (sessions: readonly Session[], serialize: EventStore['serialize']) => {
  const events = sessions.flatMap(({ owner, pack, link, track, visitor }) =>
    types.map((type) =>
      serialize({
        id: newId(),
        occurredAt: new Date().toISOString(),
        ownerId: owner,
        type: `track.${type}`,
        packId: pack,
        trackId: track,
        linkKind: 'pack',
        linkId: link,
        source: 'pack_link',
        sessionId: visitor,
      }),
    ),
  )
  return Array.from({ length: Math.ceil(events.length / batchSize) }, (_, batch) =>
    events.slice(batch * batchSize, (batch + 1) * batchSize),
  )
}

const measureWriter = async (
  sql: postgres.Sql,
  sessions: readonly Session[],
  { serialize, write }: Writer,
) => {
  const batches = createBatches(sessions, serialize)
  const walBefore = await readWalPosition(sql)
  const start = performance.now()
  for (const batch of batches) await write(batch)
  const seconds = (performance.now() - start) / 1000
  const events = sessions.length * types.length
  return { perSecond: events / seconds, walBytes: ((await readWalPosition(sql)) - walBefore) / events }
}

/** Measures how fast the queue of one process writes batches, which it does on one connection. */
export const measureInserts = async (store: EngagementStore, rounds: number) => {
  const writers = await openWriters(store)
  const samples = new Map(
    writers.map(({ name }) => [name, [] as Awaited<ReturnType<typeof measureWriter>>[]]),
  )
  try {
    // The first round fills the caches.
    for (let round = 0; round <= rounds; round++) {
      const sessions = await selectSessions(store.sql, store.rows)
      for (const writer of writers) {
        const sample = await measureWriter(store.sql, sessions, writer)
        if (round > 0) samples.get(writer.name)?.push(sample)
      }
    }
  } finally {
    await Promise.all(writers.map((writer) => writer.close()))
  }
  return table(
    ['inserts into', 'events per second', 'spread', 'WAL bytes per event'],
    [...samples].map(([name, taken]) => {
      const rates = taken.map(({ perSecond }) => perSecond)
      const spread = `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`
      return [
        name,
        median(rates).toFixed(0),
        spread,
        median(taken.map(({ walBytes }) => walBytes)).toFixed(0),
      ]
    }),
  )
}
