import { randomUUID } from 'node:crypto'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import { memoizePerSide, type ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createBrokenWav, createWav } from './fixtures/files.ts'
import { createLibrary, createPack, createTrack } from './fixtures/libraries.ts'
import { createPackOfTracks } from './fixtures/packs.ts'
import { addStem } from './fixtures/stems.ts'
import { createOwnedTrack, createProcessedTrack } from './fixtures/tracks.ts'

const trackStates = ['pending', 'processing', 'ready', 'failed'] as const
const trackLabels = ['tracks.list', 'tracks.detail', 'tracks.metadata.update'] as const
const laneStates = ['pending', 'processing', 'ready', 'failed', 'skipped'] as const
const stageStates = ['pending', 'queued', 'skipped'] as const
const dispatchStates = ['queued', 'dispatched', 'running'] as const
const lyricsStates = ['none', 'processing', 'ready', 'failed'] as const
const documentTypes = ['contract', 'license', 'split_sheet', 'cue_sheet', 'lyric_sheet', 'other'] as const
const fileStates = ['processing', 'ready', 'failed'] as const
const deliveryStates = [
  'queued',
  'sent',
  'delivery_delayed',
  'delivered',
  'opened',
  'clicked',
  'failed',
  'suppressed',
  'bounced',
  'complained',
] as const

const urlLabels = ['tracks.playback-url.issue', 'tracks.download-url.issue'] as const

const forgetMeasures = [
  'update media_assets set byte_size = null where track_id = $1',
  'update track_versions set duration_ms = null, sample_rate = null, channels = null where track_id = $1',
] as const

const getUnmeasuredTrack = memoizePerSide(async (context) => {
  const { owner, params } = await createProcessedTrack(context, createWav())
  for (const statement of forgetMeasures) await context.changeRows(statement, [params.trackId])
  return { as: owner, params }
})

const insertDocument = `
  insert into media_assets
    (id, track_id, kind, status, file_name, content_type, byte_size, storage_key, document_type, title, created_at)
  values ($1, $2, 'document', $3, $1::text || '.pdf', $7, 1001, $1::text || '/document', $4, $5, $6::timestamptz)`

// Browsers display some of these and save the others.
const documentFormats = [
  'application/pdf',
  'text/csv',
  'application/rtf',
  'application/msword',
  'image/webp',
  'image/tiff',
] as const

const insertDispatch = `
  insert into media_dispatches (id, track_id, version_id, status, attempt, dispatched_at)
  select $2, id, current_version_id, $3, 2, case when $3 <> 'queued' then '2026-01-01'::timestamptz end
  from tracks where id = $1`

// The times are in another order than the rows, and two are the same. A run compares the order of files and dispatches
// only if their ids differ between the sides.
const unordered = [
  ['d', '2026-01-02'],
  ['c', '2026-01-01'],
  ['b', '2026-01-03'],
  ['a', '2026-01-02'],
] as const

const addUnordered = async (context: ScenarioContext, statement: string, parentId: string) => {
  for (const [name, createdAt] of unordered)
    await context.changeRows(statement, [`${name}-${randomUUID()}`, parentId, name, createdAt])
}

const createUnorderedFiles = async (context: ScenarioContext) => {
  const { owner, params } = await createOwnedTrack(context)
  await addUnordered(
    context,
    `insert into media_assets
        (id, track_id, kind, status, file_name, content_type, byte_size, storage_key, title, created_at)
      values ($1, $2, 'document', 'ready', 'deed.csv', 'text/csv', 1001, $1 || '/document', $3, $4::timestamptz)`,
    params.trackId,
  )
  // `tracks.processing.status` returns no titles.
  await context.changeRows('update media_assets set byte_size = ascii(title) where track_id = $1', [
    params.trackId,
  ])
  return { as: owner, params }
}

const createUnorderedDispatches = async (context: ScenarioContext) => {
  const { owner, params } = await createProcessedTrack(context, createBrokenWav())
  await addUnordered(
    context,
    `insert into media_dispatches (id, track_id, version_id, status, attempt, created_at)
      select $1, id, current_version_id, 'succeeded', ascii($3), $4::timestamptz from tracks where id = $2`,
    params.trackId,
  )
  return { as: owner, params }
}

const sizes = ['0', '2147483648', '9007199254740991'] as const
const sizeLabels = [
  'tracks.media-assets.list',
  'tracks.processing.status',
  'tracks.versions.list',
  'tracks.stems.list',
] as const

/** Sets the size of all files of a track that has documents and stems. */
const createTrackOfSize = async (context: ScenarioContext, byteSize: string) => {
  const { owner, params, versionIds } = await createProcessedTrack(context, createWav())
  const [versionId] = versionIds
  await addStem(context, { ...params, versionId, kind: 'vocals' })
  await context.changeRows(insertDocument, [
    context.unique('sized'),
    params.trackId,
    'ready',
    'other',
    'Sized',
    '2026-01-01',
    'text/csv',
  ])
  await context.changeRows('update media_assets set byte_size = $2::bigint where track_id = $1', [
    params.trackId,
    byteSize,
  ])
  return { as: owner, params }
}

const insertArtwork = `
  insert into media_assets
    (id, track_id, kind, status, file_name, content_type, byte_size, storage_key, width, height, created_at)
  values ($1, $2, 'artwork', $3, $1::text || '.png', 'image/png', 1001, $1::text || '/artwork',
    $4::int, $4::int * 2, $5::timestamptz)`

/** Scenarios for states that a short run cannot reach without an analysis service and e-mail. */
export const storedStates = [
  ...trackLabels.flatMap((label) =>
    trackStates.map((state) =>
      defineScenario(label, 200, `returns a track that is ${state}`, async (context) => {
        const { owner, params } = await createOwnedTrack(context)
        await context.changeRows(
          'update tracks set processing_state = $2, duration_ms = 1234567 where id = $1',
          [params.trackId, state],
        )
        return label === 'tracks.list'
          ? { as: owner }
          : { as: owner, params, ...(label === 'tracks.metadata.update' && { body: { title: 'Changed' } }) }
      }),
    ),
  ),
  defineScenario('tracks.list', 200, 'returns tracks with and without audio', async (context) => {
    const { owner } = await createProcessedTrack(context, createWav())
    await createTrack(owner, 'Without audio')
    return { as: owner }
  }),
  defineScenario('libraries.tracks.add', 200, 'adds a track with a duration', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await context.changeRows('update tracks set duration_ms = 1234567 where id = $1', [params.trackId])
    const { id: libraryId } = await createLibrary(owner)
    return {
      as: owner,
      params: { libraryId },
      body: params,
      reads: [{ label: 'libraries.detail', as: owner, params: { libraryId } }],
    }
  }),
  ...(['libraries.detail', 'libraries.presentation'] as const).map((label) =>
    defineScenario(label, 200, 'returns a description, and the durations of tracks', async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await context.changeRows('update tracks set duration_ms = 1234567 where id = $1', [params.trackId])
      const { id: libraryId } = await createLibrary(owner)
      const library = { params: { libraryId } }
      await owner.call('libraries.update', { ...library, body: { description: 'For the label' } })
      await owner.call('libraries.tracks.add', { ...library, body: params })
      return { as: owner, ...library }
    }),
  ),
  defineScenario('packs.tracks.reorder', 200, 'keeps the only track', async (context) => {
    const { owner, params, trackIds } = await createPackOfTracks(context, 1)
    return { as: owner, params, body: { trackIds } }
  }),
  defineScenario('packs.invitations.list', 200, 'returns invitations in every state', async (context) => {
    const owner = await context.account()
    const { id: packId } = await createPack(owner)
    for (const state of deliveryStates) {
      const email = `${state.replace('_', '-')}@example.test`
      await owner.call('packs.invitations.create', { params: { packId }, body: { email } })
      await context.changeRows('update pack_invitations set status = $1 where pack_id = $2 and email = $3', [
        state,
        packId,
        email,
      ])
    }
    return { as: owner, params: { packId } }
  }),

  ...lyricsStates.flatMap((state) =>
    ([null, 'user', 'ai', 'import'] as const).map((source) =>
      defineScenario(
        'tracks.lyrics.detail',
        200,
        `returns lyrics that are ${state}, with the source ${source}`,
        async (context) => {
          const { owner, params } = await createOwnedTrack(context)
          await owner.call('tracks.lyrics.replace', { params, body: { text: 'la\nla', language: 'en' } })
          await context.changeRows(
            `update track_lyrics set status = $2, source = nullif($3, ''), user_edited = false where track_id = $1`,
            [params.trackId, state, source ?? ''],
          )
          return { as: owner, params }
        },
      ),
    ),
  ),

  ...laneStates.map((state) =>
    defineScenario('tracks.processing.status', 200, `returns lanes that are ${state}`, async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await context.changeRows(
        `insert into processing_lanes (track_id, lane, status)
          select $1, unnest(array['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']), $2`,
        [params.trackId, state],
      )
      return { as: owner, params }
    }),
  ),
  ...stageStates.map((state) =>
    defineScenario('tracks.processing.status', 200, `returns a stage that is ${state}`, async (context) => {
      const { owner, params } = await createProcessedTrack(context, createBrokenWav())
      await context.changeRows(
        `update processing_stages set status = $2, progress = 0.25, started_at = null where track_id = $1`,
        [params.trackId, state],
      )
      return { as: owner, params }
    }),
  ),
  ...dispatchStates.map((state) =>
    defineScenario(
      'tracks.processing.status',
      200,
      `returns a dispatch that is ${state}`,
      async (context) => {
        const { owner, params } = await createProcessedTrack(context, createBrokenWav())
        await context.changeRows(insertDispatch, [params.trackId, context.unique('dispatch'), state])
        return { as: owner, params }
      },
    ),
  ),

  defineScenario(
    'tracks.media-assets.list',
    200,
    'returns documents of every type and state',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      for (const [index, type] of documentTypes.entries())
        for (const state of fileStates)
          await context.changeRows(insertDocument, [
            context.unique(`${type.replace('_', '-')}-${state}`),
            params.trackId,
            state,
            type,
            `${type}, ${state}`,
            `2026-01-0${index + 1}`,
            documentFormats[index] ?? '',
          ])
      return { as: owner, params }
    },
  ),
  defineScenario(
    'tracks.media-assets.list',
    200,
    'returns artwork in every state, with and without measures',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      for (const [index, state] of fileStates.entries()) {
        const createdAt = `2026-01-0${index + 1}`
        await context.changeRows(insertArtwork, [
          context.unique(`cover-${state}`),
          params.trackId,
          state,
          String(index),
          createdAt,
        ])
        await context.changeRows(insertDocument, [
          context.unique(`deed-${state}`),
          params.trackId,
          state,
          'other',
          state,
          createdAt,
          'text/csv',
        ])
      }
      await context.changeRows(
        `update media_assets set width = null, height = null where track_id = $1 and width = 0`,
        [params.trackId],
      )
      return { as: owner, params }
    },
  ),
  ...sizeLabels.flatMap((label) =>
    sizes.map((size) =>
      defineScenario(label, 200, `returns files of ${size} bytes`, (context) =>
        createTrackOfSize(context, size),
      ),
    ),
  ),
  ...(['tracks.processing.status', 'tracks.media-assets.list'] as const).map((label) =>
    defineScenario(label, 200, 'orders files by time, then by id', createUnorderedFiles),
  ),
  defineScenario(
    'tracks.processing.status',
    200,
    'orders dispatches by time, then by id',
    createUnorderedDispatches,
  ),
  defineScenario(
    'tracks.versions.list',
    200,
    'returns labels, and orders versions by number whatever their time and state',
    async (context) => {
      const { owner, params } = await createProcessedTrack(context, createWav(), createWav(1, 'second.wav'))
      await context.changeRows(
        `update track_versions set label = 'Mix ' || version_number,
          status = case version_number when 2 then 'processing' else status end,
          created_at = created_at - version_number * interval '1 day' where track_id = $1`,
        [params.trackId],
      )
      return { as: owner, params }
    },
  ),
  defineScenario('tracks.versions.list', 200, 'returns a version without measurements', getUnmeasuredTrack),
  ...urlLabels.map((label) =>
    defineScenario(label, 200, 'returns the URL of audio without measurements', getUnmeasuredTrack),
  ),
  defineScenario('tracks.processing.status', 200, 'returns files without a size', getUnmeasuredTrack),
  ...urlLabels.map((label) =>
    defineScenario(label, 404, 'does not serve audio that has not been checked', async (context) => {
      const { owner, params } = await createProcessedTrack(context, createWav())
      await context.changeRows(`update track_versions set status = 'processing' where track_id = $1`, [
        params.trackId,
      ])
      return { as: owner, params }
    }),
  ),
  defineScenario(
    'tracks.download-url.issue',
    404,
    'does not find a document that has not been checked',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      const assetId = context.unique('unchecked')
      await context.changeRows(insertDocument, [
        assetId,
        params.trackId,
        'processing',
        'other',
        'Unchecked',
        '2026-01-01',
        'application/pdf',
      ])
      return { as: owner, params, query: { assetId } }
    },
  ),
  ...(['queued', 'running'] as const).map((state) =>
    defineScenario('tracks.processing.status', 200, `returns a run that is ${state}`, async (context) => {
      const { owner, params } = await createProcessedTrack(context, createBrokenWav())
      await context.changeRows(
        `update ingestion_runs set status = $2, trigger = 'retry', started_at = null, completed_at = null,
          error_code = null, error_message = null where track_id = $1`,
        [params.trackId, state],
      )
      return { as: owner, params }
    }),
  ),
  ...dispatchStates.map((state) =>
    defineScenario(
      'tracks.processing.retry',
      200,
      `returns the dispatch of the current version that is ${state}`,
      async (context) => {
        const { owner, params } = await createProcessedTrack(context, createBrokenWav())
        await context.changeRows(insertDispatch, [params.trackId, context.unique('dispatch'), state])
        return { as: owner, params }
      },
    ),
  ),
]
