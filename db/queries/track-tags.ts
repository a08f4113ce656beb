import { desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../connection.ts'
import { prepared } from '../prepared.ts'
import { trackTags } from '../schema/track-tags.ts'

const tagsOfTrack = prepared((db) =>
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
