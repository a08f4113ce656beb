import { randomUUID } from 'node:crypto'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createWav } from './fixtures/files.ts'
import { holdProcessing, readAfterStart, withVersion } from './fixtures/held-processing.ts'
import { createProcessedTrack, createPromotedTrack, waitForProcessing } from './fixtures/tracks.ts'

/** Creates a track with two valid versions, of which the one with this index is current. */
const createTwoVersions = (context: ScenarioContext, current: 0 | 1) =>
  current === 1
    ? createPromotedTrack(context)
    : createProcessedTrack(context, createWav(), createWav(1, 'second.wav'))

/** Stores an analysis of the version that has not ended. */
const addDispatch = (
  context: ScenarioContext,
  { trackId, versionId }: { readonly trackId: string; readonly versionId: string },
) =>
  context.changeRows(
    `insert into media_dispatches (id, track_id, version_id, status, attempt, dispatched_at)
      values ($1, $2, $3, 'running', 1, now())`,
    [randomUUID(), trackId, versionId],
  )

const versionStates = [
  [
    'returns the current version although no run of it is known',
    'delete from ingestion_runs where version_id = $1',
  ],
  [
    'returns the current version while it is processed again after an outage',
    `update ingestion_runs set status = 'running', error_code = 'storage_unavailable', completed_at = null
      where version_id = $1`,
  ],
] as const

/** Scenarios for what a change of the current version does to stored runs, stages and analyses. */
export const storedVersions = [
  ...versionStates.map(([title, change]) =>
    defineScenario('tracks.versions.promote', 200, title, async (context) => {
      const track = await createProcessedTrack(context, createWav())
      const params = withVersion(track, 0)
      await context.changeRows(change, [params.versionId])
      return {
        as: track.owner,
        params,
        reads: [{ label: 'tracks.processing.status', as: track.owner, params: track.params }],
      }
    }),
  ),
  defineScenario(
    'tracks.versions.promote',
    200,
    'keeps the current version playable although its last run failed because of an outage',
    async (context) => {
      const track = await createProcessedTrack(context, createWav())
      const params = withVersion(track, 0)
      await context.changeRows(
        `update ingestion_runs set status = 'failed', error_code = 'storage_unavailable' where version_id = $1`,
        [params.versionId],
      )
      // Native starts another run, which the core does not. The read responses show only what stays the same.
      return { as: track.owner, params, settle: () => waitForProcessing(track) }
    },
  ),
  defineScenario(
    'tracks.processing.retry',
    409,
    'does not analyse audio that is not yet checked',
    async (context) => {
      const { owner, params } = await createProcessedTrack(context, createWav())
      await context.changeRows('delete from ingestion_runs where track_id = $1', [params.trackId])
      await context.changeRows(`update track_versions set status = 'processing' where track_id = $1`, [
        params.trackId,
      ])
      return {
        as: owner,
        params,
        reads: [{ label: 'tracks.processing.status', as: owner, params }],
      }
    },
  ),
  defineScenario(
    'tracks.processing.retry',
    202,
    'starts an analysis while one of another version is running',
    async (context) => {
      const track = await createProcessedTrack(context, createWav(), createWav(1, 'second.wav'))
      await addDispatch(context, withVersion(track, 1))
      await holdProcessing(context, track.params.trackId)
      return { as: track.owner, params: track.params }
    },
  ),
  defineScenario(
    'tracks.processing.retry',
    200,
    'returns the analysis that is running, and not that of another version',
    async (context) => {
      const track = await createProcessedTrack(context, createWav(), createWav(1, 'second.wav'))
      await addDispatch(context, withVersion(track, 1))
      await track.owner.call('tracks.processing.retry', { params: track.params })
      return { as: track.owner, params: track.params }
    },
  ),
  ...(
    [
      ['tracks.versions.promote', 'keeps the analysis of the promoted version running', 0],
      ['tracks.versions.remove', 'keeps the analysis of the original running', 1],
    ] as const
  ).flatMap(([label, title, current]) => [
    defineScenario(label, 200, title, async (context) => {
      const track = await createTwoVersions(context, current)
      await addDispatch(context, withVersion(track, 1 - current))
      await holdProcessing(context, track.params.trackId)
      return { as: track.owner, params: withVersion(track, 1), ...readAfterStart(track) }
    }),
    defineScenario(label, 200, 'forgets the failures of an earlier analysis', async (context) => {
      const track = await createTwoVersions(context, current)
      await context.changeRows(
        `update processing_stages set status = 'failed', progress = 0.5, attempt = 3, started_at = now(),
          completed_at = now(), error_code = 'analysis_failed', error_message = 'Failed' where track_id = $1`,
        [track.params.trackId],
      )
      await context.changeRows(`update processing_lanes set status = 'skipped' where track_id = $1`, [
        track.params.trackId,
      ])
      await holdProcessing(context, track.params.trackId)
      return { as: track.owner, params: withVersion(track, 1), ...readAfterStart(track) }
    }),
    ...(['null', '1234567'] as const).map((duration) =>
      defineScenario(
        label,
        200,
        `copies the duration ${duration} of the version that becomes current`,
        async (context) => {
          const track = await createTwoVersions(context, current)
          await context.changeRows(`update track_versions set duration_ms = ${duration} where id = $1`, [
            withVersion(track, 1 - current).versionId,
          ])
          await holdProcessing(context, track.params.trackId)
          return { as: track.owner, params: withVersion(track, 1), ...readAfterStart(track) }
        },
      ),
    ),
  ]),
]
