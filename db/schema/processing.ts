import { sql } from 'drizzle-orm'
import {
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp, timestamps } from './columns.ts'
import { trackId, versionOfTrack } from './tracks.ts'

const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings'] as const
const laneStatuses = ['pending', 'processing', 'ready', 'failed', 'skipped'] as const

// In words for the track's owner. Never contains an error's message.
const failure = { errorCode: text(), errorMessage: text() }

/** The status of a track's current audio in each lane. A lane that has no row is pending. */
export const processingLanes = pgTable(
  'processing_lanes',
  {
    trackId: trackId(),
    lane: text({ enum: lanes }).notNull(),
    status: text({ enum: laneStatuses }).notNull().default('pending'),
    updatedAt: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.trackId, table.lane] }),
    check('processing_lanes_lane', isOneOf(table.lane, lanes)),
    check('processing_lanes_status', isOneOf(table.status, laneStatuses)),
  ],
)

const runTriggers = ['upload', 'retry', 'promote'] as const
const runStatuses = ['queued', 'running', 'succeeded', 'failed'] as const

export const ingestionRuns = pgTable(
  'ingestion_runs',
  {
    id: id(),
    trackId: trackId(),
    versionId: text().notNull(),
    trigger: text({ enum: runTriggers }).notNull(),
    status: text({ enum: runStatuses }).notNull().default('queued'),
    startedAt: timestamp(),
    completedAt: timestamp(),
    ...failure,
    ...timestamps(),
  },
  (table) => [
    versionOfTrack('ingestion_runs_version_fk', table),
    index('ingestion_runs_newest_first').on(table.trackId, table.createdAt, table.id),
    check('ingestion_runs_trigger', isOneOf(table.trigger, runTriggers)),
    check('ingestion_runs_status', isOneOf(table.status, runStatuses)),
  ],
)

const stageStatuses = ['pending', 'queued', 'running', 'succeeded', 'failed', 'skipped'] as const

/** A retry increments the attempt in the same row. */
export const processingStages = pgTable(
  'processing_stages',
  {
    id: id(),
    trackId: trackId(),
    versionId: text().notNull(),
    lane: text({ enum: lanes }).notNull(),
    status: text({ enum: stageStatuses }).notNull().default('pending'),
    attempt: integer().notNull().default(0),
    progress: doublePrecision(),
    startedAt: timestamp(),
    completedAt: timestamp(),
    ...failure,
    ...timestamps(),
  },
  (table) => [
    versionOfTrack('processing_stages_version_fk', table),
    unique('processing_stages_lane_of_version').on(table.versionId, table.lane),
    index('processing_stages_track').on(table.trackId),
    check('processing_stages_lane', isOneOf(table.lane, lanes)),
    check('processing_stages_status', isOneOf(table.status, stageStatuses)),
    check('processing_stages_attempt', sql`${table.attempt} >= 0`),
    check('processing_stages_progress', sql`${table.progress} between 0 and 1`),
  ],
)

const dispatchStatuses = ['queued', 'dispatched', 'running', 'succeeded', 'failed'] as const

export const mediaDispatches = pgTable(
  'media_dispatches',
  {
    id: id(),
    trackId: trackId(),
    versionId: text().notNull(),
    kind: text().notNull().default('media_intelligence'),
    status: text({ enum: dispatchStatuses }).notNull().default('queued'),
    attempt: integer().notNull().default(0),
    /** The analysis service's id for this job. Never part of a response. */
    remoteId: text(),
    ...failure,
    dispatchedAt: timestamp(),
    completedAt: timestamp(),
    ...timestamps(),
  },
  (table) => {
    const unfinished = sql`${table.status} in ('queued', 'dispatched', 'running')`
    return [
      versionOfTrack('media_dispatches_version_fk', table),
      // Lets only one of two concurrent retries start the work.
      uniqueIndex('media_dispatches_unfinished').on(table.versionId, table.kind).where(unfinished),
      index('media_dispatches_track').on(table.trackId, table.createdAt, table.id),
      index('media_dispatches_waiting').on(table.createdAt, table.id).where(unfinished),
      check('media_dispatches_status', isOneOf(table.status, dispatchStatuses)),
      check('media_dispatches_attempt', sql`${table.attempt} >= 0`),
    ]
  },
)

const callbackOutcomes = ['applied', 'stale'] as const

/** Callbacks that were processed. A repeated callback has no effect. */
export const mediaDispatchCallbacks = pgTable(
  'media_dispatch_callbacks',
  {
    callbackId: text().primaryKey(),
    dispatchId: text()
      .notNull()
      .references(() => mediaDispatches.id, { onDelete: 'cascade' }),
    outcome: text({ enum: callbackOutcomes }).notNull(),
    receivedAt: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    index('media_dispatch_callbacks_dispatch').on(table.dispatchId),
    check('media_dispatch_callbacks_outcome', isOneOf(table.outcome, callbackOutcomes)),
  ],
)
