import { defineScenario } from '#migration/parity/run/scenario.ts'
import { memoizePerSide, type ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createDocument, createWav } from './fixtures/files.ts'
import { createPack, createTrack } from './fixtures/libraries.ts'
import { createLinkToPack, packPageLabels } from './fixtures/pack-links.ts'
import { createPackOfTracks } from './fixtures/packs.ts'
import { createReviewLink } from './fixtures/split-sheet-links.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  getToneTrack,
  readAfterProcessing,
  uploadFile,
  uploadWithoutFinalizing,
  waitForProcessing,
  withSharedTrack,
} from './fixtures/tracks.ts'

const insertTag = `
  insert into track_tags
    (id, track_id, category, value, label, numeric_value, confidence, source, hidden, created_at, updated_at)
  values ($1, $2, $3, $4::text, upper($4::text), $5::float8, $6::float8, $7, $8::text = 'true', $9, $10)`

const tags = [
  ['b', 'mood', 'calm', '0.5', '0.5', 'ai', 'false', '2026-01-01', '2026-01-03'],
  ['a', 'mood', 'dark', '0', '0.5', 'file', 'false', '2026-01-02', '2026-01-02'],
  ['B', 'mood', 'loud', '0', '0.5', 'import', 'false', '2026-01-02', '2026-01-02'],
  ['c', 'mood', 'warm', '7.25', '0.75', 'user', 'false', '2026-01-01', '2026-01-01'],
  ['d', 'genre', 'house', '0', '0', 'ai', 'false', '2026-01-01', '2026-01-01'],
  ['g', 'theme', 'night', '0', '0', 'user', 'false', '2026-01-01', '2026-01-01'],
  ['e', 'genre', 'techno', '0', '1', 'ai', 'true', '2026-01-01', '2026-01-05'],
  ['f', 'bpm', '120', '120', '0.1234567', 'ai', 'true', '2026-01-01', '2026-01-04'],
] as const

/** A shared track with tags of every kind, including hidden ones and several with the same confidence. */
const getTaggedTrack = memoizePerSide(async (context) => {
  const track = await createOwnedTrack(context)
  const { trackId } = track.params
  for (const [name, ...fields] of tags)
    await context.changeRows(insertTag, [context.unique(name), trackId, ...fields])
  await context.changeRows(
    `update track_tags set confidence = null, numeric_value = null where track_id = $1 and value = 'house'`,
    [trackId],
  )
  return track
})

const hiddenTagQueries = [{}, { includeHidden: 'true' }, { includeHidden: 'false' }] as const

const peaks16 = `update track_peaks set bits = 16, channels = 2, length = 1, data = '\\x0080ff7f01000080' where track_id = $1`

const createTiedPack = async (context: ScenarioContext) => {
  const pack = await createPackOfTracks(context, 3)
  await context.changeRows('update pack_tracks set position = 1 where pack_id = $1', [pack.params.packId])
  return pack
}

const copyTracks = `
  insert into tracks (id, owner_id, title, artist)
  select id || '-' || n, owner_id, 'Track ' || n, artist
  from tracks, generate_series(10, 40) n where id = $1 order by n desc`

const addCopies = `
  insert into pack_tracks (pack_id, track_id, position, added_at)
  select $2, $1 || '-' || n, 1, '2026-01-01' from generate_series(10, 40) n order by n desc`

/** Creates a pack of many tracks that were added at the same time. They are stored in the reverse order of their ids. */
const createSimultaneousPack = async (context: ScenarioContext) => {
  const pack = await createPackOfTracks(context, 1)
  const [trackId = ''] = pack.trackIds
  await context.changeRows(copyTracks, [trackId])
  await context.changeRows(addCopies, [trackId, pack.params.packId])
  return { ...pack, trackId }
}

/** The URL of an upload has expired, and so has the time to finalize it. */
const expireUpload = `update uploads set expires_at = now() - interval '61 minutes' where id = $1`

/** Creates a review link with a different value for each time. */
const createDatedReviewLink = async (context: ScenarioContext) => {
  const review = await createReviewLink(context)
  await context.changeRows(
    `update split_sheets set created_at = '2026-01-01', updated_at = '2026-01-03', validated_at = '2026-01-02'
      where track_id = $1`,
    [review.trackId],
  )
  await context.changeRows(
    `update split_sheet_links set created_at = '2026-01-04', updated_at = '2026-01-05' where id = $1`,
    [review.linkId],
  )
  return review
}

const uploadChanges = [
  [
    200,
    'accepts an upload within an hour after its URL expired',
    `expires_at = now() - interval '59 minutes'`,
  ],
  [409, 'rejects an upload an hour after its URL expired', `expires_at = now() - interval '61 minutes'`],
  [409, 'rejects an upload that has expired', `status = 'expired'`],
  [409, 'rejects an upload that has failed', `status = 'failed'`],
  [409, 'rejects a file that is smaller', 'byte_size = byte_size + 1'],
  [409, 'rejects a file that is larger', 'byte_size = byte_size - 1'],
  [409, 'rejects a file of another type', `content_type = 'text/csv'`],
  [409, 'rejects a file of another size and type', `byte_size = byte_size + 1, content_type = 'text/csv'`],
] as const

export const storedRows = [
  ...hiddenTagQueries.map((query) =>
    defineScenario(
      'tracks.tags.detail',
      200,
      `orders tags, some of them hidden, with ${JSON.stringify(query)}`,
      withSharedTrack(getTaggedTrack, () => ({ query })),
    ),
  ),
  defineScenario('tracks.tags.detail', 200, 'returns no tags if all are hidden', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    for (const [name, ...fields] of tags.slice(-2))
      await context.changeRows(insertTag, [context.unique(name), params.trackId, ...fields])
    return { as: owner, params }
  }),
  defineScenario('tracks.tags.detail', 200, 'returns no tags of another track', async (context) => {
    const { owner } = await getTaggedTrack(context)
    return { as: owner, params: { trackId: (await createTrack(owner)).id } }
  }),

  defineScenario('tracks.peaks.detail', 200, 'returns 16-bit samples', async (context) => {
    const { owner, params } = await createProcessedTrack(context, createWav())
    await context.changeRows(peaks16, [params.trackId])
    return { as: owner, params }
  }),
  defineScenario(
    'tracks.peaks.detail',
    200,
    'returns the format of audiowaveform',
    withSharedTrack(getToneTrack, () => ({ query: { format: 'audiowaveform' } })),
  ),
  defineScenario(
    'tracks.peaks.detail',
    200,
    'ignores the bits without a format',
    withSharedTrack(getToneTrack, () => ({ query: { bits: '16' } })),
  ),

  ...packPageLabels.map((label) =>
    defineScenario(label, 200, 'returns the name of the owner', async (context) => {
      const owner = await context.account()
      const { id: packId } = await createPack(owner)
      const { slug } = await createLinkToPack(context, owner, packId)
      await context.changeRows(`insert into accounts (id, display_name) values ($1, 'The Owls')`, [
        owner.accountId,
      ])
      return { params: { slug } }
    }),
  ),
  ...packPageLabels.map((label) =>
    defineScenario(label, 200, 'adds up the durations of the tracks', async (context) => {
      const { trackIds, reads } = await createPackOfTracks(context, 3)
      const [{ params }] = reads
      for (const [index, durationMs] of ['90500', '1234567'].entries())
        await context.changeRows('update tracks set duration_ms = $2::int where id = $1', [
          trackIds[index] ?? '',
          durationMs,
        ])
      return { params }
    }),
  ),
  defineScenario('public.pack-links.detail', 200, 'orders tracks with the same position', async (context) => {
    const { params, reads } = await createTiedPack(context)
    const [{ params: link }] = reads
    await context.changeRows(
      `update pack_tracks set added_at = '2026-01-01' where pack_id = $1 and track_id <>
        (select min(track_id) from pack_tracks where pack_id = $1)`,
      [params.packId],
    )
    return { params: link }
  }),
  ...packPageLabels.map((label) =>
    defineScenario(label, 200, 'orders tracks added at the same time by id', async (context) => {
      const { reads } = await createSimultaneousPack(context)
      const [{ params }] = reads
      return { params }
    }),
  ),
  defineScenario('packs.tracks.remove', 204, 'renumbers tracks added at the same time', async (context) => {
    const { owner, params, trackId, reads } = await createSimultaneousPack(context)
    return { as: owner, params: { ...params, trackId: `${trackId}-20` }, reads }
  }),
  defineScenario('packs.tracks.remove', 204, 'renumbers tracks with the same position', async (context) => {
    const { owner, params, trackIds, reads } = await createTiedPack(context)
    return { as: owner, params: { ...params, trackId: trackIds[1] ?? '' }, reads }
  }),

  defineScenario(
    'tracks.uploads.finalize',
    409,
    'rejects an overdue upload without bytes',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      const body = { fileName: 'deed.txt', contentType: 'text/plain', byteSize: 100 }
      const { uploadId } = await owner.call('tracks.documents.upload', { params, body })
      await context.changeRows(expireUpload, [uploadId])
      return { as: owner, params: { ...params, uploadId } }
    },
  ),
  defineScenario(
    'tracks.uploads.finalize',
    200,
    'returns the same response after the URL expired',
    async (context) => {
      const track = await createOwnedTrack(context)
      const { uploadId } = await uploadFile(track, 'tracks.documents.upload', createDocument())
      await waitForProcessing(track)
      await context.changeRows(expireUpload, [uploadId])
      return { as: track.owner, params: { ...track.params, uploadId } }
    },
  ),
  defineScenario('tracks.split-sheet.detail', 200, 'returns when the sheet changed', async (context) => {
    const { owner, trackId } = await createDatedReviewLink(context)
    return { as: owner, params: { trackId } }
  }),
  defineScenario(
    'public.split-sheets.detail',
    200,
    'returns when the link and the sheet changed',
    async (context) => ({
      params: { token: (await createDatedReviewLink(context)).token },
    }),
  ),

  ...uploadChanges.map(([status, title, change]) =>
    defineScenario('tracks.uploads.finalize', status, title, async (context) => {
      const track = await createOwnedTrack(context)
      const params = await uploadWithoutFinalizing(track, 'tracks.documents.upload', createDocument())
      await context.changeRows(`update uploads set ${change} where id = $1`, [params.uploadId])
      return { as: track.owner, params, ...(status === 200 ? readAfterProcessing(track) : {}) }
    }),
  ),
]
