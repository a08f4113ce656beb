import { openAsBlob } from 'node:fs'
import type { Queryable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import { infrastructureFailure } from '#db/queries/jobs/failure.ts'
import type { SeparatedStem } from '#db/queries/jobs/jobs.ts'
import { insertMediaAsset } from '#db/queries/media/media-assets.ts'
import {
  completeLockedDispatch,
  findMediaDispatch,
  type MediaDispatch,
} from '#db/queries/media/media-dispatches.ts'
import { cancelObjectRemoval, scheduleObjectRemoval } from '#db/queries/media/object-removals.ts'
import {
  failAnalysis,
  listUnfinishedLanes,
  lockUnfinishedDispatch,
} from '#db/queries/processing/analysis-outcomes.ts'
import { resumeStages, updateStagesAndLanes } from '#db/queries/processing/processing-stages.ts'
import { deleteSeparatedStems, insertTrackStem } from '#db/queries/tracks/track-audio.ts'
import { detectFamilyInChild } from './analysis/analyse-in-child.ts'
import { extensionOf, mainTypeOf } from './analysis/media-family.ts'
import { markDispatchAsFailed, postponeAnalysis, reopenDispatch } from './dispatch-analysis.ts'
import type { JobDefinition, JobOf } from './job-definitions.ts'
import { type JobPorts, StemRejectedError } from './ports.ts'
import { RetryLaterError } from './retry-later-error.ts'
import { withTemporaryFile } from './temporary-files.ts'

interface DetectedStem extends SeparatedStem {
  readonly fileName: string
}

interface StoredStem extends DetectedStem {
  readonly storageKey: string
  readonly byteSize: number
}

const uncommittedStemTtlMs = 3_600_000
const uploadUrlTtlS = 3600

const stemsRejected = { code: 'stems_rejected', message: 'The separated stems were not accepted.' }

// The object's removal is scheduled before its upload and cancelled in the transaction that stores its key, so a crash
// leaves no orphan. An import that exceeds the TTL fails and is retried.
const storeStem = async (
  stem: DetectedStem,
  bytes: Blob,
  { db, storage, clock }: JobPorts,
  signal: AbortSignal,
): Promise<StoredStem> => {
  const storageKey = `assets/${newId()}`
  const removeAfter = new Date(clock.now().valueOf() + uncommittedStemTtlMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, storageKey, removeAfter))
  const upload = await storage.presignPut(storageKey, {
    contentType: stem.contentType,
    byteSize: bytes.size,
    expiresInS: uploadUrlTtlS,
  })
  const response = await fetch(upload.url, {
    method: 'PUT',
    headers: upload.requiredHeaders,
    body: bytes,
    signal,
  }).catch((cause) => {
    signal.throwIfAborted()
    throw new RetryLaterError('storage_unavailable', `object ${storageKey}: PUT failed`, { cause })
  })
  if (!response.ok)
    throw new RetryLaterError('storage_unavailable', `object ${storageKey}: PUT returned ${response.status}`)
  return { ...stem, storageKey, byteSize: bytes.size }
}

// The content type is detected from the bytes, because the callback's is untrusted.
const fetchStem = (stem: SeparatedStem, ports: JobPorts, signal: AbortSignal) =>
  withTemporaryFile(async (path) => {
    await ports.stems.download(stem.url, path, signal)
    const family = await detectFamilyInChild(path, signal)
    if (!family) throw new StemRejectedError('not_audio', stem.url)
    const detected = {
      ...stem,
      contentType: mainTypeOf(family),
      fileName: `${stem.kind}.${extensionOf(family)}`,
    }
    return storeStem(detected, await openAsBlob(path), ports, signal)
  })

const insertStem = async (
  tx: Queryable,
  version: { readonly trackId: string; readonly versionId: string },
  stem: StoredStem,
) => {
  const { kind, label, durationMs, fileName, contentType, byteSize, storageKey } = stem
  if (!(await cancelObjectRemoval(tx, storageKey)))
    throw new Error(`the stem object ${storageKey} was removed before the import was committed`)
  const assetId = newId()
  const file = { fileName, contentType, byteSize, storageKey }
  const ofOtherKinds = { width: null, height: null, documentType: null, title: null }
  await insertMediaAsset(tx, {
    id: assetId,
    ...version,
    ...file,
    ...ofOtherKinds,
    kind: 'stem',
    status: 'ready',
  })
  await insertTrackStem(tx, { ...version, assetId, kind, label, durationMs, source: 'ai' })
}

const failDispatchOrRethrow = async (dispatchId: string, error: unknown, { db, log }: JobPorts) => {
  if (!(error instanceof StemRejectedError)) throw error
  log.warn({ dispatchId, reason: error.reason, host: error.host }, 'separated stem rejected')
  await db.tx(async (tx) => failAnalysis(tx, await findMediaDispatch(tx, dispatchId), stemsRejected))
}

const completeImport = async (dispatch: MediaDispatch, stored: readonly StoredStem[], { db }: JobPorts) => {
  await db.tx(async (tx) => {
    const locked = await lockUnfinishedDispatch(tx, dispatch)
    if (!locked) return
    const version = { trackId: dispatch.trackId, versionId: dispatch.versionId }
    await deleteSeparatedStems(tx, version.versionId)
    for (const stem of stored) await insertStem(tx, version, stem)
    const unfinished = await listUnfinishedLanes(tx, version.versionId)
    await updateStagesAndLanes(tx, locked, unfinished, 'ready')
    await completeLockedDispatch(tx, dispatch.id, null)
  })
}

/** A rejected stem fails the dispatch at once. Any other error is thrown, so the queue retries. */
export const importStems = async (
  dispatchId: string,
  stems: readonly SeparatedStem[],
  ports: JobPorts,
  signal: AbortSignal,
) => {
  const dispatch = await findMediaDispatch(ports.db.read, dispatchId)
  // a repeated job, or a dispatch that has failed meanwhile
  if (dispatch?.status !== 'running') return
  await ports.db.tx(async (tx) =>
    resumeStages(tx, dispatch.versionId, await listUnfinishedLanes(tx, dispatch.versionId)),
  )
  const stored: StoredStem[] = []
  try {
    for (const stem of stems) stored.push(await fetchStem(stem, ports, signal))
  } catch (error) {
    return failDispatchOrRethrow(dispatchId, error, ports)
  }
  await completeImport(dispatch, stored, ports)
}

export const importStemsJob: JobDefinition<JobOf<'import-stems'>> = {
  queue: 'import-stems',
  concurrency: 1,
  failure: infrastructureFailure('stems_unavailable'),
  run: ({ dispatchId, stems }, ports, signal) => importStems(dispatchId, stems, ports, signal),
  postpone: postponeAnalysis,
  markAsFailed: markDispatchAsFailed,
  reopen: (tx, job) => reopenDispatch(tx, job, 'running'),
}
