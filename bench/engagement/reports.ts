import { openDatabase, type Reader } from '#db/client/connection.ts'
import { countVisitorsByLink, sumEngagementByLink } from '#db/queries/engagement-by-link.ts'
import { listEngagementEventsOfOwner } from '#db/queries/engagement-events.ts'
import {
  type DaySpan,
  type ReportSubject,
  sumEngagementByDay,
  sumEngagementBySource,
} from '#db/queries/engagement-reports.ts'
import { accountIdOf, packIdOf, trackIdOf } from './sessions.ts'

const maxSources = 100
const pageSize = 200

export interface Report {
  readonly name: string
  readonly path: string
  /** The queries of the report, without the authentication and the scope of the request. */
  read(reader: Reader): Promise<unknown>
}

const lastDays = (days: number): DaySpan => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return { from: day(days - 1), to: day(0) }
}

const readLinkReport = async (reader: Reader, subject: ReportSubject, span: DaySpan) => {
  await sumEngagementByDay(reader, subject, span)
  await sumEngagementByLink(reader, subject, span)
  await countVisitorsByLink(reader, subject, span)
  await sumEngagementBySource(reader, subject, span, maxSources)
}

/** The reports of an account, its first pack and its first track. */
export const listReports = (rank: number): readonly Report[] => {
  const ownerId = accountIdOf(rank)
  const [pack, track] = [packIdOf(rank), trackIdOf(rank)]
  const dated = [30, 366].flatMap((days) => {
    const span = lastDays(days)
    const query = `?from=${span.from}&to=${span.to}`
    return [
      {
        name: `overview, ${days} days`,
        path: `/v1/analytics/overview${query}`,
        read: (reader: Reader) => sumEngagementByDay(reader, { kind: 'owner', id: ownerId }, span),
      },
      {
        name: `pack, ${days} days`,
        path: `/v1/analytics/packs/${pack}${query}`,
        read: (reader: Reader) => readLinkReport(reader, { kind: 'pack', id: pack }, span),
      },
      {
        name: `track, ${days} days`,
        path: `/v1/analytics/tracks/${track}${query}`,
        read: (reader: Reader) => readLinkReport(reader, { kind: 'track', id: track }, span),
      },
    ]
  })
  const events = {
    name: `events, first ${pageSize}`,
    path: `/v1/analytics/events?limit=${pageSize}`,
    read: (reader: Reader) => listEngagementEventsOfOwner(reader, ownerId, null, pageSize + 1),
  }
  return [...dated, events]
}

/** Counts the pages that the queries of a report read, in the cache or not, on a connection of its own. */
export const countBuffers = async (url: string, { read }: Report) => {
  const database = openDatabase(url, { connections: 1 })
  const readCount = async () => {
    await database.db.execute('select pg_stat_force_next_flush()')
    const [io] = await database.db.execute<{ buffers: string }>(
      'select sum(hits + reads) as buffers from pg_stat_get_backend_io(pg_backend_pid())',
    )
    return Number(io?.buffers)
  }
  try {
    // The first time also reads the catalog.
    await read(database.reader)
    const before = await readCount()
    await read(database.reader)
    return (await readCount()) - before
  } finally {
    await database.close()
  }
}
