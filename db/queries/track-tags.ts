import { and, desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { newId } from '../new-id.ts'
import { trackTags } from '../schema/track-tags.ts'

const tagsOfTrack = preparedRead((db) =>
  db
    .select()
    .from(trackTags)
    .where(eq(trackTags.trackId, sql.placeholder('trackId')))
    // By bytes, so that the order is the same whatever language the database sorts in.
    .orderBy(
      sql`${trackTags.category} collate "C"`,
      desc(trackTags.confidence),
      sql`${trackTags.id} collate "C"`,
    )
    .prepare('tags_of_track'),
)

/** The hidden ones too, by category and the surest first: what somebody has said themselves, then what was recognised. */
export const listTrackTags = (db: Reader, trackId: string) => tagsOfTrack(db).execute({ trackId })

type NewTag = Pick<typeof trackTags.$inferInsert, 'category' | 'value' | 'label'> & {
  readonly numericValue?: number | null
  readonly confidence?: number | null
}

/**
 * Replaces what one source said of a locked track. What the owner has edited or hidden stays, also against a tag of
 * the same words.
 */
export const replaceFoundTags = async (
  tx: Queryable,
  trackId: string,
  source: 'file' | 'ai',
  found: readonly NewTag[],
) => {
  await tx
    .delete(trackTags)
    .where(
      and(
        eq(trackTags.trackId, trackId),
        eq(trackTags.source, source),
        eq(trackTags.hidden, false),
        eq(trackTags.userEdited, false),
      ),
    )
  if (found.length === 0) return
  await tx
    .insert(trackTags)
    .values(found.map((tag) => ({ id: newId(), trackId, source, ...tag })))
    .onConflictDoNothing()
}
