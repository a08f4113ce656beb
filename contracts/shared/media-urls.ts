import * as z from 'zod'
import { Count, Id, SignedUrl, Timestamp } from './primitives.ts'

export const PlaybackUrl = z.object({
  trackId: Id,
  versionId: Id,
  assetId: Id,
  url: SignedUrl,
  contentType: z.string(),
  byteSize: Count.nullable(),
  durationMs: Count.nullable(),
  expiresAt: Timestamp,
})
export type PlaybackUrl = z.infer<typeof PlaybackUrl>

/** The signed `url` sets `content-disposition: attachment`, so browsers save the file instead of showing it. */
export const DownloadUrl = z.object({
  trackId: Id,
  versionId: Id.nullable(),
  assetId: Id,
  url: SignedUrl,
  fileName: z.string(),
  contentType: z.string(),
  byteSize: Count.nullable(),
  expiresAt: Timestamp,
})
export type DownloadUrl = z.infer<typeof DownloadUrl>
