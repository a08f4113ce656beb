import { openAsBlob } from 'node:fs'
import type { Queryable } from '#db/connection.ts'
import { newId } from '#db/new-id.ts'
import {
  listAwaitedLanes,
  lockUnfinishedDispatch,
  settleAnalysedLanes,
} from '#db/queries/analysis-outcomes.ts'
import type { SeparatedStem } from '#db/queries/jobs.ts'
import { insertMediaAsset } from '#db/queries/media-assets.ts'
import { completeLockedDispatch, findMediaDispatch } from '#db/queries/media-dispatches.ts'
import { keepObject, scheduleObjectRemoval } from '#db/queries/object-removals.ts'
import { deleteSeparatedStems, insertTrackStem } from '#db/queries/track-stems.ts'
import { withDownload } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

interface FetchedStem extends SeparatedStem {
  readonly storageKey: string
  readonly byteSize: number
}

const abandonedAfterMs = 3_600_000
const uploadLifetimeS = 3600

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

const fetchStem = (stem: SeparatedStem, ports: JobPorts, signal: AbortSignal) =>
  withDownload(stem.url, signal, async (path) => storeStem(stem, await openAsBlob(path), ports, signal))

const fileNameOf = ({ kind, contentType }: SeparatedStem) =>
  `${kind}.${contentType.split('/')[1]?.replace(/[^a-z0-9]/g, '') || 'bin'}`

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

/** Brings the stems that the analysis service has separated into the store and ends the dispatch with them. */
export const importStems = async (
  dispatchId: string,
  stems: readonly SeparatedStem[],
  ports: JobPorts,
  signal: AbortSignal,
) => {
  const found = await findMediaDispatch(ports.db.read, dispatchId)
  if (found?.status !== 'running') return
  const fetched: FetchedStem[] = []
  for (const stem of stems) fetched.push(await fetchStem(stem, ports, signal))

  await ports.db.tx(async (tx) => {
    const open = await lockUnfinishedDispatch(tx, found)
    if (!open) return
    const version = { trackId: found.trackId, versionId: found.versionId }
    await deleteSeparatedStems(tx, version.versionId)
    for (const stem of fetched) await keepStem(tx, version, stem)
    const awaited = await listAwaitedLanes(tx, version.versionId)
    await settleAnalysedLanes(tx, open.dispatch, open.isCurrent, awaited, 'ready')
    await completeLockedDispatch(tx, dispatchId, null)
  })
}
