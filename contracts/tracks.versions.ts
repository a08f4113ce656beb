import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, optionalNextCursor, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'
import { AudioUpload, UploadIntent } from './shared/uploads.ts'

export const Version = z.object({
  id: Id,
  versionNumber: z.int().min(1),
  label: z.string().nullable(),
  isOriginal: z.boolean(),
  isCurrent: z.boolean(),
  status: z.enum(['processing', 'ready', 'failed']),
  fileName: z.string(),
  contentType: z.string(),
  byteSize: Count.nullable(),
  durationMs: Count.nullable(),
  sampleRate: Count.nullable(),
  channels: Count.nullable(),
  assetId: Id,
  createdAt: Timestamp,
})

export const Versions = z.object({
  trackId: Id,
  currentVersionId: Id.nullable(),
  versions: z.array(Version),
})
export type Versions = z.infer<typeof Versions>

export const list = defineContract('tracks.versions.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: Versions.extend(optionalNextCursor) },
})

export const upload = defineContract('tracks.versions.upload', {
  body: AudioUpload,
  responses: { 201: UploadIntent },
  limit: 'uploads',
  errors: ['quota_exceeded'],
})

export const promote = defineContract('tracks.versions.promote', {
  responses: { 200: Versions },
  // Promoting a version analyses it again.
  limit: 'reanalyses',
  errors: ['version_not_found', 'version_not_ready'],
})

export const remove = defineContract('tracks.versions.remove', {
  responses: { 200: Versions },
  errors: ['version_not_found', 'original_version_cannot_be_deleted'],
})
