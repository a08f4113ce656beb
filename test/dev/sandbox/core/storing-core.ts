import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startObjectStore } from '#dev/sandbox/object-storage/start-object-store.ts'
import { type Caller, runCore } from './running-core.ts'

export const runStoringCore = async (environment: NodeJS.ProcessEnv = {}) => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-store-'))
  const keys = { accessKeyId: randomUUID(), secretAccessKey: randomUUID() }
  const store = await startObjectStore({ directory, ...keys })
  const { endpoint, region, bucket } = store
  const core = await runCore({
    ...environment,
    STORAGE_ENDPOINT: endpoint,
    STORAGE_REGION: region,
    STORAGE_BUCKET: bucket,
    STORAGE_ACCESS_KEY_ID: keys.accessKeyId,
    STORAGE_SECRET_ACCESS_KEY: keys.secretAccessKey,
  })
  let running = true
  const stopStore = async () => {
    if (running) await store.close()
    running = false
  }
  return {
    ...core,
    storageEndpoint: endpoint,
    stopStore,
    close: async () => {
      await core.close()
      await stopStore()
      await rm(directory, { recursive: true })
    },
  }
}

export type StoringCore = Awaited<ReturnType<typeof runStoringCore>>

interface UploadOptions {
  readonly folder?: 'versions' | 'artwork'
  readonly contentType?: string
  readonly fileName?: string
}

export const createUploadIntent = async (
  caller: Caller,
  trackId: string,
  bytes: string,
  options: UploadOptions = {},
) => {
  const { folder = 'versions', contentType = 'audio/wav', fileName = 'tide.wav' } = options
  const { body } = await caller.post(`/v1/tracks/${trackId}/${folder}/uploads`, {
    fileName,
    contentType,
    byteSize: Buffer.byteLength(bytes),
  })
  return body
}

export const putBytes = async (
  intent: { signedUrl: string; requiredHeaders: Record<string, string> },
  body: string,
) => (await fetch(intent.signedUrl, { method: 'PUT', headers: intent.requiredHeaders, body })).status

export const upload = async (caller: Caller, trackId: string, bytes: string, options: UploadOptions = {}) => {
  const intent = await createUploadIntent(caller, trackId, bytes, options)
  await putBytes(intent, bytes)
  return (await caller.post(new URL(intent.finalizeUrl).pathname)).body
}

export const markReady = ({ sql }: StoringCore, versionId: string) => sql`
  with version as (update track_versions set status = 'ready', duration_ms = 1000 where id = ${versionId})
  update media_assets set status = 'ready' where version_id = ${versionId}`
