import type { AnalysisResults } from '#contracts/media-intelligence.ts'
import type { Lane } from '#contracts/tracks.processing.ts'
import type { Queryable } from '#db/client/connection.ts'
import { completeAnalysedLanes, listAwaitedLanes } from '#db/queries/analysis-outcomes.ts'
import { insertJob } from '#db/queries/jobs.ts'
import { completeLockedDispatch, type MediaDispatch, markRunning } from '#db/queries/media-dispatches.ts'
import { replaceTrackEmbedding } from '#db/queries/track-embeddings.ts'
import { findTrackLyrics, importTrackLyrics } from '#db/queries/track-lyrics.ts'
import { replaceFoundTags } from '#db/queries/track-tags.ts'

const keepWords = async (tx: Queryable, { trackId, versionId }: MediaDispatch, results: AnalysisResults) => {
  const { tags, lyrics, embeddings } = results
  if (tags) {
    const named = tags.map((tag) => ({ ...tag, label: tag.label ?? tag.value }))
    await replaceFoundTags(tx, trackId, 'ai', named)
  }
  if (lyrics && lyrics.text !== '') await importTrackLyrics(tx, trackId, { ...lyrics, source: 'ai' })
  if (embeddings) await replaceTrackEmbedding(tx, { trackId, versionId, vector: embeddings })
}

const fetchStems = async (tx: Queryable, { id }: MediaDispatch, stems: AnalysisResults['stems'] = []) => {
  if (stems.length === 0) return false
  await markRunning(tx, id)
  const named = stems.map(({ byteSize: _, ...stem }) => ({ ...stem, label: stem.label ?? stem.kind }))
  await insertJob(tx, { queue: 'import-stems', dispatchId: id, stems: named })
  return true
}

const lanesOfFile = async (tx: Queryable, trackId: string): Promise<readonly Lane[]> => {
  const lyrics = await findTrackLyrics(tx, trackId)
  return lyrics?.source === 'import' ? ['tags', 'lyrics'] : ['tags']
}

const isAnalysed = (lane: Lane, { tags, stems, lyrics, embeddings }: AnalysisResults) =>
  ({ tags, stems, lyrics, embeddings, playback: undefined, waveform: undefined })[lane] !== undefined

/**
 * Takes in what an analysis found, for a locked dispatch of a track's current version. What the owner has written
 * stays. Stems are still to be fetched from where they are; until then the dispatch runs.
 */
export const applyAnalysisResults = async (
  tx: Queryable,
  dispatch: MediaDispatch,
  results: AnalysisResults,
) => {
  await keepWords(tx, dispatch, results)
  const awaitsStems = await fetchStems(tx, dispatch, results.stems)
  const settled = (await listAwaitedLanes(tx, dispatch.versionId)).filter(
    (lane) => lane !== 'stems' || !awaitsStems,
  )
  // A lane that was not analysed is not offered, unless the file itself has given what belongs there.
  const ofFile = await lanesOfFile(tx, dispatch.trackId)
  const isAnswered = (lane: Lane) => ofFile.includes(lane) || isAnalysed(lane, results)
  const skipped = settled.filter((lane) => !isAnswered(lane))
  await completeAnalysedLanes(tx, dispatch, true, settled.filter(isAnswered), 'ready')
  await completeAnalysedLanes(tx, dispatch, true, skipped, 'skipped')
  if (!awaitsStems) await completeLockedDispatch(tx, dispatch.id, null)
}
