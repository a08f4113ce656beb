import { ApiError } from '#contracts/errors.ts'
import { type AnalysisResults, callback } from '#contracts/media-intelligence.ts'
import type { Lane } from '#contracts/tracks.processing.ts'
import type { Queryable } from '#db/client/connection.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import {
  completeLockedDispatch,
  findMediaDispatch,
  insertDispatchCallback,
  type MediaDispatch,
  markDispatched,
  markDispatchRunning,
} from '#db/queries/media/media-dispatches.ts'
import {
  failAnalysis,
  listUnfinishedLanes,
  lockUnfinishedDispatch,
} from '#db/queries/processing/analysis-outcomes.ts'
import { updateStagesAndLanes } from '#db/queries/processing/processing-stages.ts'
import { replaceTrackEmbedding } from '#db/queries/tracks/track-audio.ts'
import { findTrackLyrics, importTrackLyrics } from '#db/queries/tracks/track-lyrics.ts'
import { replaceDetectedTags } from '#db/queries/tracks/track-tags.ts'
import { defineWebhook } from '../define-webhook.ts'

const saveResults = async (
  tx: Queryable,
  { trackId, versionId }: MediaDispatch,
  results: AnalysisResults,
) => {
  const { tags, lyrics, embeddings } = results
  if (tags) {
    const named = tags.map((tag) => ({ ...tag, label: tag.label ?? tag.value }))
    await replaceDetectedTags(tx, trackId, 'ai', named)
  }
  if (lyrics && lyrics.text !== '') await importTrackLyrics(tx, trackId, { ...lyrics, source: 'ai' })
  if (embeddings) await replaceTrackEmbedding(tx, { trackId, versionId, vector: embeddings })
}

const fetchStems = async (tx: Queryable, { id }: MediaDispatch, stems: AnalysisResults['stems'] = []) => {
  if (stems.length === 0) return false
  await markDispatchRunning(tx, id)
  const named = stems.map(({ byteSize: _, ...stem }) => ({ ...stem, label: stem.label ?? stem.kind }))
  await insertJob(tx, { queue: 'import-stems', dispatchId: id, stems: named })
  return true
}

const listLanesFromFile = async (tx: Queryable, trackId: string): Promise<readonly Lane[]> => {
  const lyrics = await findTrackLyrics(tx, trackId)
  return lyrics?.source === 'import' ? ['tags', 'lyrics'] : ['tags']
}

const isAnalysed = (lane: Lane, { tags, stems, lyrics, embeddings }: AnalysisResults) =>
  ({ tags, stems, lyrics, embeddings, playback: undefined, waveform: undefined })[lane] !== undefined

/**
 * Does not touch what the owner has edited. If there are stems, the dispatch keeps running until a job has imported
 * them.
 */
const applyAnalysisResults = async (tx: Queryable, dispatch: MediaDispatch, results: AnalysisResults) => {
  await saveResults(tx, dispatch, results)
  const awaitsStems = await fetchStems(tx, dispatch, results.stems)
  const finishedLanes = (await listUnfinishedLanes(tx, dispatch.versionId)).filter(
    (lane) => lane !== 'stems' || !awaitsStems,
  )
  // A lane without results is marked as skipped, unless the file's own tags fill it.
  const lanesFromFile = await listLanesFromFile(tx, dispatch.trackId)
  const hasResult = (lane: Lane) => lanesFromFile.includes(lane) || isAnalysed(lane, results)
  const skipped = finishedLanes.filter((lane) => !hasResult(lane))
  const version = { ...dispatch, isCurrent: true }
  await updateStagesAndLanes(tx, version, finishedLanes.filter(hasResult), 'ready')
  await updateStagesAndLanes(tx, version, skipped, 'skipped')
  if (!awaitsStems) await completeLockedDispatch(tx, dispatch.id, null)
}

// The analysis service's error may expose internals, so the track's owner sees this one instead.
const analysisFailed = { code: 'analysis_failed', message: 'The audio could not be analysed.' }

export const receiveAnalysis = defineWebhook(
  callback,
  ({ callbackId, dispatchId, status, results = {} }, { db }) =>
    db.tx(async (tx) => {
      const found = await findMediaDispatch(tx, dispatchId)
      const open = found && (await lockUnfinishedDispatch(tx, found))
      // The dispatch may have been deleted with its track or version while this waited for the lock.
      if (!open && !(await findMediaDispatch(tx, dispatchId))) throw new ApiError('media_dispatch_not_found')
      // A running dispatch was already called back, and its stems are being imported.
      const isAwaited = open?.isCurrent === true && open.status !== 'running'
      const outcome = isAwaited ? 'applied' : 'stale'
      const isNew = await insertDispatchCallback(tx, { callbackId, dispatchId, outcome })
      if (!isNew) return { ok: true, status: 'duplicate' }
      // The callback may arrive before the job has marked the dispatch as sent.
      if (isAwaited) await markDispatched(tx, dispatchId)
      if (isAwaited && status === 'succeeded') await applyAnalysisResults(tx, open, results)
      if (isAwaited && status === 'failed') await failAnalysis(tx, open, analysisFailed)
      return { ok: true, status: outcome }
    }),
)
