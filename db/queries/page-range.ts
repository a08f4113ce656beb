import { type AnyColumn, desc, sql } from 'drizzle-orm'

/** Up to `limit` records: those after the position `after`, or the first ones if `after` is null. */
export interface PageRange {
  readonly after: { readonly at: string; readonly id: string } | null
  readonly limit: number
}

export const newestFirst = (at: AnyColumn, id: AnyColumn) => ({
  isInRange: sql`(${at}, ${id}) < (${sql.placeholder('afterAt')}::timestamptz, ${sql.placeholder('afterId')})`,
  order: [desc(at), desc(id)],
  limit: sql.placeholder('limit'),
})

// Without a position, uses values that put every record in range. Leaving out the condition would need a second
// prepared statement.
export const rangeValues = ({ after, limit }: PageRange) => ({
  afterAt: after?.at ?? 'infinity',
  afterId: after?.id ?? '',
  limit,
})
