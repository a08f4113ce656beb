import { createS3ObjectStorage } from '../adapters/object-storage-s3.ts'
import type { JobSettings } from '../settings/settings.ts'

/** Opens the configured object storage. */
export const openObjectStorage = (settings: JobSettings) =>
  createS3ObjectStorage({
    endpoint: settings.STORAGE_ENDPOINT,
    region: settings.STORAGE_REGION,
    bucket: settings.STORAGE_BUCKET,
    accessKeyId: settings.STORAGE_ACCESS_KEY_ID,
    secretAccessKey: settings.STORAGE_SECRET_ACCESS_KEY,
  })
