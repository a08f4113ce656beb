import * as z from 'zod'
import type { MediaPolicy } from '#native-routes/ports.ts'
import { apiKey, bytes, httpUrl, integerBetween, origins, wholeNumber } from './setting-types.ts'
import type { JobSettings, Settings } from './settings.ts'

/** A URL's lifetime in seconds. AWS Signature Version 4 URLs are valid for at most a week. */
const ttlS = (fallback: number) => wholeNumber(fallback).pipe(integerBetween(1, 604_800))

export const mediaSettings = {
  STORAGE_ENDPOINT: httpUrl,
  STORAGE_REGION: z.string().min(1),
  STORAGE_BUCKET: z.string().min(1),
  STORAGE_ACCESS_KEY_ID: apiKey,
  STORAGE_SECRET_ACCESS_KEY: apiKey,
  UPLOAD_MAX_AUDIO_BYTES: bytes(1_073_741_824),
  UPLOAD_MAX_ARTWORK_BYTES: bytes(20_971_520),
  UPLOAD_MAX_DOCUMENT_BYTES: bytes(52_428_800),
  UPLOAD_URL_TTL_S: ttlS(900),
  PLAYBACK_URL_TTL_S: ttlS(3600),
  DOWNLOAD_URL_TTL_S: ttlS(900),
  MEDIA_INTELLIGENCE_URL: httpUrl.optional(),
  MEDIA_INTELLIGENCE_ORIGINS: origins.optional(),
  FFMPEG_PATH: z.string().optional(),
}

/** Reads the origins that stems may be downloaded from without address checks. */
export const readStemOrigins = (settings: JobSettings) => {
  const { MEDIA_INTELLIGENCE_ORIGINS: origins, MEDIA_INTELLIGENCE_URL: url } = settings
  return origins ?? (url === undefined ? [] : [new URL(url).origin])
}

type MediaVariables = z.infer<z.ZodObject<typeof mediaSettings>>
type StorageVariables = Pick<MediaVariables, Extract<keyof MediaVariables, `STORAGE_${string}`>>
type PolicyVariables = Omit<
  MediaVariables,
  keyof StorageVariables | 'MEDIA_INTELLIGENCE_ORIGINS' | 'FFMPEG_PATH'
> &
  Pick<Settings, 'MEDIA_INTELLIGENCE_SECRET'>

/** Analysis is offered only if its service has both a URL and a secret. */
export const readMediaPolicy = (settings: PolicyVariables, publicBaseUrl: () => string): MediaPolicy => ({
  maxBytes: {
    version: settings.UPLOAD_MAX_AUDIO_BYTES,
    artwork: settings.UPLOAD_MAX_ARTWORK_BYTES,
    document: settings.UPLOAD_MAX_DOCUMENT_BYTES,
  },
  ttlS: {
    upload: settings.UPLOAD_URL_TTL_S,
    playback: settings.PLAYBACK_URL_TTL_S,
    download: settings.DOWNLOAD_URL_TTL_S,
  },
  publicBaseUrl,
  isAnalysisConfigured:
    settings.MEDIA_INTELLIGENCE_URL !== undefined && settings.MEDIA_INTELLIGENCE_SECRET !== undefined,
})

/** The keys are read on each use. */
export const readStorageOptions = (settings: StorageVariables) => ({
  endpoint: settings.STORAGE_ENDPOINT,
  region: settings.STORAGE_REGION,
  bucket: settings.STORAGE_BUCKET,
  get accessKeyId() {
    return settings.STORAGE_ACCESS_KEY_ID
  },
  get secretAccessKey() {
    return settings.STORAGE_SECRET_ACCESS_KEY
  },
})
