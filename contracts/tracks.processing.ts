import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { DispatchKind, DispatchStatus } from './shared/media-analysis.ts'
import { Count, Id, openEnum, Timestamp } from './shared/primitives.ts'

/** Each lane succeeds or fails on its own. */
export const Lane = z.enum(['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings'])
export type Lane = z.infer<typeof Lane>

const Failure = z.object({ code: z.string(), message: z.string() })

const Stage = z.object({
  id: Id,
  lane: Lane,
  status: z.enum(['pending', 'queued', 'running', 'succeeded', 'failed', 'skipped']),
  attempt: Count,
  progress: z.number().min(0).max(1).nullable(),
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  /** Why the stage failed, or which unavailable infrastructure a queued stage is waiting for. */
  error: Failure.nullable(),
  updatedAt: Timestamp,
})

const Asset = z.object({
  id: Id,
  kind: openEnum(['original', 'playback', 'waveform', 'stem', 'artwork', 'document']),
  status: z.enum(['processing', 'ready', 'failed']),
  versionId: Id.nullable(),
  contentType: z.string().nullable(),
  byteSize: Count.nullable(),
  createdAt: Timestamp,
})

const Dispatch = z.object({
  id: Id,
  kind: DispatchKind,
  status: DispatchStatus,
  attempt: Count,
  dispatchedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  error: Failure.nullable(),
})

const Run = z.object({
  id: Id,
  trigger: z.enum(['upload', 'retry', 'promote']),
  status: z.enum(['queued', 'running', 'succeeded', 'failed']),
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  error: Failure.nullable(),
})

/** A lane is `skipped` if this deployment does not offer it. */
const Readiness = z.object({
  status: z.enum(['pending', 'processing', 'ready', 'failed', 'skipped']),
  ready: z.boolean(),
  updatedAt: Timestamp.nullable(),
})

export const ProcessingStatus = z.object({
  trackId: Id,
  stages: z.array(Stage),
  assets: z.array(Asset),
  remoteDispatches: z.array(Dispatch),
  ingestionRun: Run.optional(),
  readiness: z.object({
    playback: Readiness,
    waveform: Readiness,
    tags: Readiness,
    stems: Readiness,
    lyrics: Readiness,
    embeddings: Readiness,
  }),
})
export type ProcessingStatus = z.infer<typeof ProcessingStatus>

const RetriedDispatch = <const S extends string>(status: S) =>
  z.object({ trackId: Id, dispatchId: Id, status: z.literal(status) })

export const status = defineContract('tracks.processing.status', {
  responses: { 200: ProcessingStatus },
})

export const retry = defineContract('tracks.processing.retry', {
  responses: { 200: RetriedDispatch('already_running'), 202: RetriedDispatch('dispatched') },
  limit: 'reanalyses',
  errors: ['media_intelligence_unavailable', 'version_not_ready'],
})
