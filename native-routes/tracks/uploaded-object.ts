import { ApiError } from '#contracts/errors.ts'
import { mediaTypeOf } from '#contracts/shared/uploads.ts'
import { newId } from '#db/new-id.ts'
import { scheduleObjectRemoval } from '#db/queries/object-removals.ts'
import { finalizableSince, type UploadRow } from '#db/queries/uploads.ts'
import type { Ports } from '../ports.ts'

// Longer than any request that makes a copy lives.
const abandonedAfterMs = 3_600_000

export const requireUnexpired = ({ status, expiresAt }: UploadRow, clock: Ports['clock']) => {
  if (status !== 'pending' || expiresAt < finalizableSince(clock.now())) throw new ApiError('upload_expired')
}

/** The object is there with the length and the type that were declared. The upload stays pending if it is not. */
export const requireDeclaredObject = async (
  key: string,
  declared: Pick<UploadRow, 'byteSize' | 'contentType'>,
  { effects, storage }: Pick<Ports, 'effects' | 'storage'>,
) => {
  const object = await effects.external(() => storage.find(key))
  if (!object) throw new ApiError('upload_object_missing')
  if (object.byteSize !== declared.byteSize) throw new ApiError('upload_size_mismatch')
  if (mediaTypeOf(object.contentType ?? '') !== declared.contentType)
    throw new ApiError('upload_content_type_mismatch')
}

/**
 * Copies what was uploaded to a key of its own, for the signed address stays good for a while and must not be able
 * to exchange bytes that were checked: neither those of this request nor, when two finalize at once, those of the
 * other. The copy is checked again; until a row refers to it, it is listed for removal.
 */
export const copyOutOfReach = async (upload: UploadRow, ports: Ports) => {
  const { db, effects, storage, clock } = ports
  const storageKey = `${upload.storageKey}/${newId()}`
  const abandonedAt = new Date(clock.now().valueOf() + abandonedAfterMs).toISOString()
  await db.tx((tx) => scheduleObjectRemoval(tx, storageKey, abandonedAt))
  await effects.external(() => storage.copy(upload.uploadKey, storageKey))
  await requireDeclaredObject(storageKey, upload, ports)
  return storageKey
}
