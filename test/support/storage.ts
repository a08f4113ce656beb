import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startObjectStore } from '#dev/sandbox/object-storage/start-object-store.ts'
import { createS3ObjectStorage } from '#gateway/adapters/object-storage-s3.ts'
import type { StoragePort } from '#native-routes/ports.ts'

const keys = { accessKeyId: 'key-of-the-tests', secretAccessKey: 'secret-of-the-tests' }

const createEnvironment = (store: { endpoint: string; region: string; bucket: string }) => ({
  STORAGE_ENDPOINT: store.endpoint,
  STORAGE_REGION: store.region,
  STORAGE_BUCKET: store.bucket,
  STORAGE_ACCESS_KEY_ID: keys.accessKeyId,
  STORAGE_SECRET_ACCESS_KEY: keys.secretAccessKey,
})

/** The settings for an unreachable store, at the discard port. */
export const unreachableStorage = createEnvironment({
  endpoint: 'http://127.0.0.1:9',
  region: 'us-east-1',
  bucket: 'nowhere',
})

export interface TestStorage {
  readonly environment: Readonly<Record<string, string>>
  readonly port: StoragePort
  close(): Promise<void>
}

export const startTestStorage = async (): Promise<TestStorage> => {
  const directory = await mkdtemp(join(tmpdir(), 'crossfade-store-'))
  const store = await startObjectStore({ directory, ...keys })
  return {
    environment: createEnvironment(store),
    port: createS3ObjectStorage({ ...store, ...keys }),
    close: async () => {
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
