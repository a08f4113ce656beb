import { type AnyColumn, desc, sql } from 'drizzle-orm'

/** The records of a list that follow a position, or its first ones, up to a limit. */
export interface PageRange {
  readonly after: { readonly at: string; readonly id: string } | null
  readonly limit: number
}

/** The parts of a statement that selects a `PageRange` of a list, newest first; `rangeValues` are its parameters. */
export const newestFirst = (at: AnyColumn, id: AnyColumn) => ({
  isInRange: sql`(${at}, ${id}) < (${sql.placeholder('afterAt')}::timestamptz, ${sql.placeholder('afterId')})`,
  order: [desc(at), desc(id)],
  limit: sql.placeholder('limit'),
})

// Without a position, every record is in range. A condition that the statement omits would require another statement.
export const rangeValues = ({ after, limit }: PageRange) => ({
  afterAt: after?.at ?? 'infinity',
  afterId: after?.id ?? '',
  limit,
})
