import { and, desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { trackTags } from '../../schema/track-tags.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

const tagsOfTrack = preparedRead((db) =>
  db
    .select()
    .from(trackTags)
    .where(eq(trackTags.trackId, sql.placeholder('trackId')))
    // Byte order, which does not depend on the database's collation.
    .orderBy(
      sql`${trackTags.category} collate "C"`,
      desc(trackTags.confidence),
      sql`${trackTags.id} collate "C"`,
    )
    .prepare('tags_of_track'),
)

export const listTrackTags = (db: Reader, trackId: string) => tagsOfTrack(db).execute({ trackId })

type NewTag = Pick<typeof trackTags.$inferInsert, 'category' | 'value' | 'label'> & {
  readonly numericValue?: number | null
  readonly confidence?: number | null
}

/**
 * Tags that the owner edited or hid stay, and take precedence over a new tag with the same value. A tag of the file
 * takes the place of a recognized one, which the next analysis may delete.
 */
export const replaceDetectedTags = async (
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
  const inserted = tx
    .insert(trackTags)
    .values(
      found.map((tag) => ({ id: newId(), trackId, source, numericValue: null, confidence: null, ...tag })),
    )
  if (source === 'ai') await inserted.onConflictDoNothing()
  else
    await inserted.onConflictDoUpdate({
      target: [trackTags.trackId, trackTags.category, trackTags.value],
      set: {
        source,
        label: sql`excluded.label`,
        numericValue: sql`excluded.numeric_value`,
        confidence: null,
        updatedAt: statementTimestamp,
      },
      setWhere: sql`${trackTags.source} = 'ai' and not ${trackTags.hidden} and not ${trackTags.userEdited}`,
    })
}
