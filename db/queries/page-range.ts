import { type AnyColumn, desc, sql } from 'drizzle-orm'

/** The records after a position, or the first ones, up to a limit. */
export interface PageRange {
  readonly after: { readonly at: string; readonly id: string } | null
  readonly limit: number
}

/** Parts of a statement that selects a `PageRange`, newest first. `rangeValues` are its parameters. */
export const newestFirst = (at: AnyColumn, id: AnyColumn) => ({
  isInRange: sql`(${at}, ${id}) < (${sql.placeholder('afterAt')}::timestamptz, ${sql.placeholder('afterId')})`,
  order: [desc(at), desc(id)],
  limit: sql.placeholder('limit'),
})

// Without a position, every record is in range. Leaving out the condition would make it a different statement.
export const rangeValues = ({ after, limit }: PageRange) => ({
  afterAt: after?.at ?? 'infinity',
  afterId: after?.id ?? '',
  limit,
})
