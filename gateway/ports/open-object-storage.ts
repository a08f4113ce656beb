import { createS3ObjectStorage } from '../adapters/object-storage-s3.ts'
import type { JobSettings } from '../settings/settings.ts'

type StorageSettings = Pick<
  JobSettings,
  | 'STORAGE_ENDPOINT'
  | 'STORAGE_REGION'
  | 'STORAGE_BUCKET'
  | 'STORAGE_ACCESS_KEY_ID'
  | 'STORAGE_SECRET_ACCESS_KEY'
>

/** Opens the configured object storage. */
export const openObjectStorage = (settings: StorageSettings) =>
  createS3ObjectStorage({
    endpoint: settings.STORAGE_ENDPOINT,
    region: settings.STORAGE_REGION,
    bucket: settings.STORAGE_BUCKET,
    accessKeyId: settings.STORAGE_ACCESS_KEY_ID,
    secretAccessKey: settings.STORAGE_SECRET_ACCESS_KEY,
  })
