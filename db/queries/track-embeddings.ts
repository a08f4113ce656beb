import type { Queryable } from '../client/connection.ts'
import { trackEmbeddings } from '../schema/track-audio.ts'
import { statementTimestamp } from './statement-timestamp.ts'

/** Inserts or replaces the embedding of a version. */
export const replaceTrackEmbedding = async (
  tx: Queryable,
  { vector, ...version }: Pick<typeof trackEmbeddings.$inferInsert, 'trackId' | 'versionId' | 'vector'>,
) => {
  await tx
    .insert(trackEmbeddings)
    .values({ ...version, vector })
    .onConflictDoUpdate({ target: trackEmbeddings.versionId, set: { vector, updatedAt: statementTimestamp } })
}
