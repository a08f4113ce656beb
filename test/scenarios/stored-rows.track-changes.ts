import { defineScenario, PreparationError } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { isObject, type JsonObject } from '#shared/json.ts'
import { createBrokenWav, createDocument, createWav } from './fixtures/files.ts'
import { holdProcessing, readAfterStart, withVersion } from './fixtures/held-processing.ts'
import { balancedSheet } from './fixtures/split-sheets.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  createPromotedTrack,
  readAfterProcessing,
  uploadFile,
  uploadWithoutFinalizing,
  waitForProcessing,
} from './fixtures/tracks.ts'

const longAgo = '2026-01-01T00:00:00.000Z'

const intents = [
  ['tracks.versions.upload', { fileName: 'night.wav', contentType: 'audio/x-wav', byteSize: 1001 }],
  ['tracks.artwork.upload', { fileName: 'cover.webp', contentType: 'image/webp', byteSize: 1002 }],
  [
    'tracks.documents.upload',
    {
      fileName: ' deed.pdf ',
      contentType: 'Application/PDF; version=2',
      byteSize: 1003,
      title: ' Deed ',
      documentType: 'license',
    },
  ],
] as const

/** Copies a track's uploads, which no response contains, into documents. */
const showUploads = (context: ScenarioContext, trackId: string) =>
  context.changeRows(
    `insert into media_assets
        (id, track_id, kind, status, file_name, content_type, byte_size, storage_key, title, document_type)
      select asset_id || '-shown', track_id, 'document', 'processing', file_name, content_type, byte_size,
        storage_key || '-shown', concat_ws(' ', kind, status, title, version_id is not null, finalized_at is not null,
          updated_at > created_at), document_type
      from uploads where track_id = $1`,
    [trackId],
  )

/** Returns the id of an upload as its intent states it, and as the intent's URL does. */
const readUploadIds = (intent: unknown) => {
  const { uploadId, finalizeUrl }: JsonObject = isObject(intent) ? intent : {}
  return [String(uploadId), String(finalizeUrl).split('/').at(-2) ?? '']
}

const finalize = 'tracks.uploads.finalize' as const

/** Scenarios for what writes to a track store without returning it, and for states that soon change. */
export const storedTrackChanges = [
  ...['Mine', ''].map((text) =>
    defineScenario(
      'tracks.lyrics.replace',
      200,
      `replaces recognized lyrics with ${JSON.stringify(text)}`,
      async (context) => {
        const { owner, params } = await createOwnedTrack(context)
        const body = { text: 'Old', language: 'en', lines: [{ startMs: 0, text: 'Old' }] }
        await owner.call('tracks.lyrics.replace', { params, body })
        await context.changeRows(
          `update track_lyrics set source = 'ai', status = 'failed', user_edited = false, provider = 'p', model = 'm',
            created_at = $2::timestamptz, updated_at = $2::timestamptz where track_id = $1`,
          [params.trackId, longAgo],
        )
        const settle = () =>
          context.changeRows(
            `update track_lyrics set language = concat_ws(' ', user_edited, provider, model) where track_id = $1`,
            [params.trackId],
          )
        return { as: owner, params, body: { text }, settle }
      },
    ),
  ),
  defineScenario(
    'tracks.split-sheet.replace',
    200,
    'keeps the time of creation and validates the sheet again',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await owner.call('tracks.split-sheet.replace', { params, body: balancedSheet })
      await context.changeRows(
        `update split_sheets set validated_at = $2::timestamptz, created_at = $2::timestamptz,
          updated_at = $2::timestamptz where track_id = $1`,
        [params.trackId, longAgo],
      )
      return { as: owner, params, body: balancedSheet }
    },
  ),
  defineScenario(
    'tracks.split-sheet.detail',
    200,
    'returns when the sheet was validated',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await owner.call('tracks.split-sheet.replace', { params, body: balancedSheet })
      await context.changeRows('update split_sheets set validated_at = $2::timestamptz where track_id = $1', [
        params.trackId,
        longAgo,
      ])
      return { as: owner, params }
    },
  ),
  defineScenario('tracks.metadata.update', 200, 'keeps the time of creation', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await context.changeRows(
      'update tracks set created_at = $2::timestamptz, updated_at = $2::timestamptz where id = $1',
      [params.trackId, longAgo],
    )
    return { as: owner, params, body: { artist: 'The Owls' } }
  }),

  ...intents.flatMap(([label, body]) => [
    defineScenario(label, 201, 'stores what the client declared', async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      return {
        as: owner,
        params,
        body,
        settle: () => showUploads(context, params.trackId),
        reads: [{ label: 'tracks.media-assets.list', as: owner, params }],
      }
    }),
    defineScenario(label, 201, 'returns the id and the URL of the upload', async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      return {
        as: owner,
        params,
        body,
        // Returns 409, because there are no bytes.
        reads: (intent: unknown) =>
          readUploadIds(intent).map((uploadId) => ({
            label: finalize,
            as: owner,
            params: { ...params, uploadId },
          })),
      }
    }),
  ]),
  ...(
    [
      ['tracks.versions.upload', 'a version', createBrokenWav()],
      ['tracks.documents.upload', 'a document', createDocument()],
    ] as const
  ).map(([label, title, file]) =>
    defineScenario(finalize, 200, `stores that the upload of ${title} is finalized`, async (context) => {
      const track = await createOwnedTrack(context)
      const params = await uploadWithoutFinalizing(track, label, file)
      const settle = async () => {
        await waitForProcessing(track)
        await showUploads(context, params.trackId)
      }
      return { as: track.owner, params, settle }
    }),
  ),
  defineScenario(finalize, 200, 'finalizes an upload that was rejected before', async (context) => {
    const track = await createOwnedTrack(context)
    const params = await uploadWithoutFinalizing(track, 'tracks.documents.upload', createDocument())
    const declare = (change: string) =>
      context.changeRows(`update uploads set byte_size = byte_size ${change} where id = $1`, [
        params.uploadId,
      ])
    await declare('+ 1')
    await track.owner.call(finalize, { params }).catch((error: unknown) => {
      if (!(error instanceof PreparationError)) throw error
    })
    await declare('- 1')
    return { as: track.owner, params, ...readAfterProcessing(track) }
  }),
  defineScenario(finalize, 200, 'changes the track when another version arrives', async (context) => {
    const track = await createProcessedTrack(context, createBrokenWav())
    const params = await uploadWithoutFinalizing(track, 'tracks.versions.upload', createBrokenWav())
    await context.changeRows('update tracks set updated_at = created_at where id = $1', [params.trackId])
    return { as: track.owner, params, ...readAfterProcessing(track) }
  }),
  defineScenario(finalize, 200, 'accepts the last file that the quota allows', async (context) => {
    const track = await createOwnedTrack(context)
    for (let index = 0; index < 3; index++)
      await uploadFile(track, 'tracks.documents.upload', createDocument())
    await waitForProcessing(track)
    const params = await uploadWithoutFinalizing(track, 'tracks.documents.upload', createDocument())
    return { as: track.owner, params, ...readAfterProcessing(track) }
  }),

  defineScenario(
    'tracks.versions.promote',
    409,
    'rejects a version that is not yet checked',
    async (context) => {
      const track = await createProcessedTrack(context, createWav(), createBrokenWav())
      const params = withVersion(track, 1)
      await context.changeRows(`update track_versions set status = 'processing' where id = $1`, [
        params.versionId,
      ])
      return { as: track.owner, params }
    },
  ),
  defineScenario(
    'tracks.versions.promote',
    200,
    'keeps audio playable while it is processed again',
    async (context) => {
      const track = await createProcessedTrack(context, createBrokenWav(), createWav(1, 'second.wav'))
      await holdProcessing(context, track.params.trackId)
      return { as: track.owner, params: withVersion(track, 1), ...readAfterStart(track) }
    },
  ),
  defineScenario('tracks.versions.remove', 200, 'checks an original that failed again', async (context) => {
    const track = await createProcessedTrack(context, createBrokenWav(), createWav(1, 'second.wav'))
    const params = withVersion(track, 1)
    await track.owner.call('tracks.versions.promote', { params })
    await waitForProcessing(track)
    await holdProcessing(context, params.trackId)
    return { as: track.owner, params, ...readAfterStart(track) }
  }),
  defineScenario(
    'tracks.versions.remove',
    200,
    'keeps an original playable while it is processed again',
    async (context) => {
      const track = await createPromotedTrack(context)
      await holdProcessing(context, track.params.trackId)
      const params = { ...track.params, versionId: track.versionId }
      return { as: track.owner, params, ...readAfterStart(track) }
    },
  ),
  defineScenario(
    'tracks.processing.retry',
    202,
    'analyses the current version, not the first or the last one',
    async (context) => {
      const track = await createProcessedTrack(context, createBrokenWav(), createWav(), createBrokenWav())
      await track.owner.call('tracks.versions.promote', { params: withVersion(track, 1) })
      await waitForProcessing(track)
      return { as: track.owner, params: track.params, ...readAfterProcessing(track) }
    },
  ),
  defineScenario(
    'tracks.processing.retry',
    202,
    'queues the lanes that the analysis fills, and no others',
    async (context) => {
      const { owner, params } = await createProcessedTrack(context, createWav())
      await context.changeRows(`update processing_lanes set status = 'failed' where track_id = $1`, [
        params.trackId,
      ])
      await context.changeRows(
        `update processing_stages set status = 'failed', progress = 0.5, started_at = now(), completed_at = now(),
          error_code = 'analysis_failed', error_message = 'Failed' where track_id = $1`,
        [params.trackId],
      )
      await holdProcessing(context, params.trackId)
      return {
        as: owner,
        params,
        reads: [{ label: 'tracks.processing.status', as: owner, params }],
      }
    },
  ),
]
