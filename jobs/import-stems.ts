import { openAsBlob } from 'node:fs'
import type { Queryable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import {
  completeAnalysedLanes,
  failAnalysis,
  listAwaitedLanes,
  lockUnfinishedDispatch,
} from '#db/queries/analysis-outcomes.ts'
import type { SeparatedStem } from '#db/queries/jobs.ts'
import { insertMediaAsset } from '#db/queries/media-assets.ts'
import {
  completeLockedDispatch,
  findMediaDispatch,
  type MediaDispatch,
} from '#db/queries/media-dispatches.ts'
import { keepObject, scheduleObjectRemoval } from '#db/queries/object-removals.ts'
import { deleteSeparatedStems, insertTrackStem } from '#db/queries/track-stems.ts'
import { detectFamilyInChild } from './analysis/analyse-in-child.ts'
import { mediaTypesByFamily } from './analysis/media-family.ts'
import { withTemporaryFile } from './local-copy.ts'
import type { JobPorts } from './ports.ts'
import { StemRejectedError } from './stem-rejected-error.ts'

interface FetchedStem extends SeparatedStem {
  readonly storageKey: string
  readonly byteSize: number
}

const abandonedAfterMs = 3_600_000
const uploadLifetimeS = 3600

const stemsRejected = { code: 'stems_rejected', message: 'The separated stems were not accepted.' }

// Until a row refers to the object it is listed for removal.
const storeStem = async (
  stem: SeparatedStem,
  bytes: Blob,
  { db, storage, clock }: JobPorts,
  signal: AbortSignal,
): Promise<FetchedStem> => {
  const storageKey = `assets/${newId()}`
  const abandonedAt = new Date(clock.now().valueOf() + abandonedAfterMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, storageKey, abandonedAt))
  const address = await storage.presignPut(storageKey, {
    contentType: stem.contentType,
    byteSize: bytes.size,
    expiresInS: uploadLifetimeS,
  })
  const stored = await fetch(address.url, {
    method: 'PUT',
    headers: address.requiredHeaders,
    body: bytes,
    signal,
  })
  if (!stored.ok) throw new Error(`the object store answered PUT with ${stored.status}`)
  return { ...stem, storageKey, byteSize: bytes.size }
}

// What the callback says of the type is not believed: the bytes decide.
const fetchStem = (stem: SeparatedStem, ports: JobPorts, signal: AbortSignal) =>
  withTemporaryFile(async (path) => {
    await ports.stems.download(stem.url, path, signal)
    const family = await detectFamilyInChild(path, signal)
    if (!family) throw new StemRejectedError('not_audio', stem.url)
    const typed = { ...stem, contentType: mediaTypesByFamily[family] }
    return storeStem(typed, await openAsBlob(path), ports, signal)
  })

const fileNameOf = ({ kind, contentType }: SeparatedStem) => `${kind}.${contentType.replace('audio/', '')}`

const keepStem = async (
  tx: Queryable,
  version: { readonly trackId: string; readonly versionId: string },
  stem: FetchedStem,
) => {
  const { kind, label, durationMs, contentType, byteSize, storageKey } = stem
  if (!(await keepObject(tx, storageKey))) throw new Error('a stem was removed before it was kept')
  const assetId = newId()
  const file = { fileName: fileNameOf(stem), contentType, byteSize, storageKey }
  await insertMediaAsset(tx, { id: assetId, ...version, ...file, kind: 'stem', status: 'ready' })
  await insertTrackStem(tx, { ...version, assetId, kind, label, durationMs, source: 'ai' })
}

const failRejectedStems = async (dispatchId: string, error: unknown, { db, log }: JobPorts) => {
  if (!(error instanceof StemRejectedError)) throw error
  log.warn({ dispatchId, reason: error.reason, host: error.host }, 'separated stem rejected')
  await db.tx(async (tx) => failAnalysis(tx, await findMediaDispatch(tx, dispatchId), stemsRejected))
}

const keepStems = async (found: MediaDispatch, fetched: readonly FetchedStem[], { db }: JobPorts) => {
  await db.tx(async (tx) => {
    const open = await lockUnfinishedDispatch(tx, found)
    if (!open) return
    const version = { trackId: found.trackId, versionId: found.versionId }
    await deleteSeparatedStems(tx, version.versionId)
    for (const stem of fetched) await keepStem(tx, version, stem)
    const awaited = await listAwaitedLanes(tx, version.versionId)
    await completeAnalysedLanes(tx, open.dispatch, open.isCurrent, awaited, 'ready')
    await completeLockedDispatch(tx, found.id, null)
  })
}

/**
 * Brings the stems that the analysis service has separated into the store and ends the dispatch with them. A stem that
 * is rejected fails the dispatch at once; any other failure is thrown, to be tried again.
 */
export const importStems = async (
  dispatchId: string,
  stems: readonly SeparatedStem[],
  ports: JobPorts,
  signal: AbortSignal,
) => {
  const found = await findMediaDispatch(ports.db.read, dispatchId)
  if (found?.status !== 'running') return
  const fetched: FetchedStem[] = []
  try {
    for (const stem of stems) fetched.push(await fetchStem(stem, ports, signal))
  } catch (error) {
    return failRejectedStems(dispatchId, error, ports)
  }
  await keepStems(found, fetched, ports)
}
