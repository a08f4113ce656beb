import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../connection.ts'
import { linkEvents } from '../schema/webhooks.ts'
import type { DaySpan, ReportSubject } from './engagement-reports.ts'

const isOf = ({ kind, id }: ReportSubject) => {
  if (kind === 'owner') return undefined
  return eq(kind === 'pack' ? linkEvents.packId : linkEvents.trackId, id)
}

/** Clicks that the link provider told of, each counted in three rows: by its day, its link and its country. */
export const countClicks = async (db: Reader, ownerId: string, subject: ReportSubject, span: DaySpan) => {
  const { occurredAt, linkId, country } = linkEvents
  const day = sql<string>`(${occurredAt} at time zone 'UTC')::date`
  return db
    .select({
      by: sql<'day' | 'link' | 'country'>`case grouping(${day}, ${linkId}, ${country})
        when 3 then 'day' when 5 then 'link' else 'country' end`,
      day: sql<string | null>`${day}::text`,
      linkId: sql<string | null>`${linkId}`,
      country: sql<string | null>`${country}`,
      clicks: sql<number>`count(*)::int`,
    })
    .from(linkEvents)
    .where(
      and(
        eq(linkEvents.ownerId, ownerId),
        eq(linkEvents.eventType, 'link.clicked'),
        isOf(subject),
        sql`${occurredAt} >= ${span.from}::date at time zone 'UTC'`,
        sql`${occurredAt} < (${span.to}::date + 1) at time zone 'UTC'`,
      ),
    )
    .groupBy(sql`grouping sets ((${day}), (${linkId}), (${country}))`)
}
