import * as z from 'zod'
import { defaultLimits, type MediaLimits } from './media-limits.ts'
import type { StorageSettings } from './object-storage.ts'
import { positiveInteger, readEnvironment } from './read-environment.ts'

const Storage = z
  .object({
    STORAGE_ENDPOINT: z.url(),
    STORAGE_REGION: z.string().min(1),
    STORAGE_BUCKET: z.string().min(1),
    STORAGE_ACCESS_KEY_ID: z.string().min(1),
    STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
  })
  .transform((env) => ({
    endpoint: env.STORAGE_ENDPOINT,
    region: env.STORAGE_REGION,
    bucket: env.STORAGE_BUCKET,
    accessKeyId: env.STORAGE_ACCESS_KEY_ID,
    secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
  }))

/** Reads the object store's settings; null if none of them is set. */
export const readStorage = (env: NodeJS.ProcessEnv): StorageSettings | null =>
  Object.keys(Storage.in.shape).some((name) => env[name] !== undefined) ? readEnvironment(Storage, env) : null

const Limits = z
  .object({
    UPLOAD_MAX_AUDIO_BYTES: positiveInteger(defaultLimits.audioBytes),
    UPLOAD_MAX_ARTWORK_BYTES: positiveInteger(defaultLimits.artworkBytes),
    UPLOAD_MAX_DOCUMENT_BYTES: positiveInteger(defaultLimits.documentBytes),
    UPLOAD_URL_TTL_S: positiveInteger(defaultLimits.uploadSeconds),
    PLAYBACK_URL_TTL_S: positiveInteger(defaultLimits.playbackSeconds),
    DOWNLOAD_URL_TTL_S: positiveInteger(defaultLimits.downloadSeconds),
  })
  .transform((env) => ({
    audioBytes: env.UPLOAD_MAX_AUDIO_BYTES,
    artworkBytes: env.UPLOAD_MAX_ARTWORK_BYTES,
    documentBytes: env.UPLOAD_MAX_DOCUMENT_BYTES,
    uploadSeconds: env.UPLOAD_URL_TTL_S,
    playbackSeconds: env.PLAYBACK_URL_TTL_S,
    downloadSeconds: env.DOWNLOAD_URL_TTL_S,
  }))

export const readLimits = (env: NodeJS.ProcessEnv): MediaLimits => readEnvironment(Limits, env)
