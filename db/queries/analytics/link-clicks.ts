import { and, eq, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../../client/connection.ts'
import { packLinks } from '../../schema/packs.ts'
import { trackShareLinks } from '../../schema/share-links.ts'
import { linkEvents } from '../../schema/webhooks.ts'
import type { DaySpan, ReportSubject } from './engagement-reports.ts'

const matchesSubject = ({ kind, id }: ReportSubject) => {
  if (kind === 'owner') return undefined
  return eq(kind === 'pack' ? linkEvents.packId : linkEvents.trackId, id)
}

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
        matchesSubject(subject),
        sql`${occurredAt} >= ${span.from}::date at time zone 'UTC'`,
        sql`${occurredAt} < (${span.to}::date + 1) at time zone 'UTC'`,
      ),
    )
    .groupBy(sql`grouping sets ((${day}), (${linkId}), (${country}))`)
}

/** A country of null is unknown. */
export type ClickCount = Awaited<ReturnType<typeof countClicks>>[number]

export const listLinkIds = async (db: Reader, { kind, id }: ReportSubject & { kind: 'track' | 'pack' }) => {
  const links =
    kind === 'track'
      ? await db
          .select({ id: trackShareLinks.id })
          .from(trackShareLinks)
          .where(eq(trackShareLinks.trackId, id))
      : await db.select({ id: packLinks.id }).from(packLinks).where(eq(packLinks.packId, id))
  return links.map((link) => link.id)
}

export const findLinkNames = async (db: Reader, linkIds: readonly string[]) => {
  // One parameter for all ids. With one per id, the limit would be about 65,000 ids, and each number of ids would need
  // its own statement.
  const isListed = (id: AnyPgColumn) =>
    sql`${id} in (select jsonb_array_elements_text(${JSON.stringify(linkIds)}::text::jsonb))`
  const selectNames = (links: typeof trackShareLinks | typeof packLinks) =>
    db.select({ id: links.id, name: links.name }).from(links).where(isListed(links.id))
  const named = await Promise.all([selectNames(trackShareLinks), selectNames(packLinks)])
  return new Map(named.flat().map(({ id, name }) => [id, name]))
}
