import { and, eq, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { engagementTotals } from '../../schema/engagement.ts'
import { tracks } from '../../schema/tracks.ts'

/** Two periods of days in UTC: from `previousFrom` to the day before `from`, and from `from` to `to`. */
export interface ComparedPeriods {
  readonly previousFrom: string
  readonly from: string
  readonly to: string
}

const day = (name: keyof ComparedPeriods) => sql`${sql.placeholder(name)}::date`
const isRecent = sql`${engagementTotals.day} >= ${day('from')}`
const sumWhere = (condition: SQL, counts: SQL) =>
  sql<number>`coalesce(sum(${counts}) filter (where ${condition}), 0)::int`

const playsOfTracks = preparedRead((db) =>
  db
    .select({
      id: tracks.id,
      title: tracks.title,
      createdAt: tracks.createdAt,
      plays: sumWhere(isRecent, sql`${engagementTotals.plays}`),
      previousPlays: sumWhere(sql`not ${isRecent}`, sql`${engagementTotals.plays}`),
      views: sumWhere(isRecent, sql`${engagementTotals.views}`),
      downloads: sumWhere(isRecent, sql`${engagementTotals.downloads}`),
    })
    .from(tracks)
    .innerJoin(
      engagementTotals,
      and(
        eq(engagementTotals.subjectKind, 'track'),
        eq(engagementTotals.subjectId, tracks.id),
        sql`${engagementTotals.day} >= ${day('previousFrom')}`,
        lte(engagementTotals.day, day('to')),
      ),
    )
    .where(eq(tracks.ownerId, sql.placeholder('ownerId')))
    .groupBy(tracks.id)
    .orderBy(sql`4 desc`, tracks.id)
    .limit(sql.placeholder('limit'))
    .prepare('plays_of_tracks'),
)

export const listPlaysOfTracks = (db: Reader, ownerId: string, periods: ComparedPeriods, limit: number) =>
  playsOfTracks(db).execute({ ownerId, ...periods, limit })

export type TrackPlays = Awaited<ReturnType<typeof listPlaysOfTracks>>[number]
