import { ApiError } from '#contracts/errors.ts'
import { mediaTypeOf } from '#contracts/shared/uploads.ts'
import { getFinalizationCutoff, type UploadRow } from '#db/queries/media/uploads.ts'
import type { Ports } from '../ports.ts'

export const requireUnexpired = ({ status, expiresAt }: UploadRow, clock: Ports['clock']) => {
  if (status !== 'pending' || expiresAt < getFinalizationCutoff(clock.now()))
    throw new ApiError('upload_expired')
}

/**
 * Throws unless the object exists with the declared size and content type. If this throws, the upload stays pending.
 */
export const requireDeclaredObject = async (
  declared: Pick<UploadRow, 'uploadKey' | 'byteSize' | 'contentType'>,
  { storage }: Pick<Ports, 'storage'>,
) => {
  const object = await storage.find(declared.uploadKey)
  if (!object) throw new ApiError('upload_object_missing')
  if (object.byteSize !== declared.byteSize) throw new ApiError('upload_size_mismatch')
  if (mediaTypeOf(object.contentType ?? '') !== declared.contentType)
    throw new ApiError('upload_content_type_mismatch')
}
