import { and, eq, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { engagementTotals } from '../../schema/engagement.ts'
import { tracks } from '../../schema/tracks.ts'

/** Two periods of days in UTC: from `previousFrom` to the day before `from`, and from `from` to `to`. */
export interface ComparedPeriods {
  readonly previousFrom: string
  readonly from: string
  readonly to: string
}

const isSince = (day: string) => sql`${engagementTotals.day} >= ${day}::date`
const sumWhere = (condition: SQL, counts: SQL) =>
  sql<number>`coalesce(sum(${counts}) filter (where ${condition}), 0)::int`

export const listPlaysOfTracks = (
  db: Reader,
  ownerId: string,
  { previousFrom, from, to }: ComparedPeriods,
  limit: number,
) => {
  const isRecent = isSince(from)
  return db
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
        isSince(previousFrom),
        lte(engagementTotals.day, sql`${to}::date`),
      ),
    )
    .where(eq(tracks.ownerId, ownerId))
    .groupBy(tracks.id)
    .orderBy(sql`4 desc`, tracks.id)
    .limit(limit)
}

export type TrackPlays = Awaited<ReturnType<typeof listPlaysOfTracks>>[number]
