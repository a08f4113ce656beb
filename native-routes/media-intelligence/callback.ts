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
  supersedeLockedDispatch,
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

const endWait = async (
  tx: Queryable,
  dispatch: MediaDispatch & { readonly isCurrent: boolean },
  status: 'succeeded' | 'failed',
  results: AnalysisResults,
) => {
  // The callback may arrive before the job has marked the dispatch as sent.
  await markDispatched(tx, dispatch.id)
  // The core leaves dispatches unfinished when it changes the current version. An unfinished one would prevent others.
  if (!dispatch.isCurrent) await supersedeLockedDispatch(tx, dispatch.id)
  else if (status === 'succeeded') await applyAnalysisResults(tx, dispatch, results)
  else await failAnalysis(tx, dispatch, analysisFailed)
}

export const receiveAnalysis = defineWebhook(
  callback,
  ({ callbackId, dispatchId, status, results = {} }, { db }) =>
    db.tx(async (tx) => {
      const found = await findMediaDispatch(tx, dispatchId)
      const open = found && (await lockUnfinishedDispatch(tx, found))
      // The dispatch may have been deleted with its track or version while this waited for the lock.
      if (!open && !(await findMediaDispatch(tx, dispatchId))) throw new ApiError('media_dispatch_not_found')
      // A running dispatch was already called back, and its stems are being imported.
      const awaited = open?.status === 'running' ? null : open
      const outcome = awaited?.isCurrent ? 'applied' : 'stale'
      const isNew = await insertDispatchCallback(tx, { callbackId, dispatchId, outcome })
      if (!isNew) return { ok: true, status: 'duplicate' }
      if (awaited) await endWait(tx, awaited, status, results)
      return { ok: true, status: outcome }
    }),
)
