import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createBrokenWav, createDocument, createMp3, createWav } from './fixtures/files.ts'
import { createAcceptedShare, createLibrary, createPack, createTrack } from './fixtures/libraries.ts'
import { createLinkToPack } from './fixtures/pack-links.ts'
import { createPackOfTracks } from './fixtures/packs.ts'
import { createTrackWithShareLink } from './fixtures/share-links.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  readAfterProcessing,
  uploadFile,
  uploadWithoutFinalizing,
  waitForProcessing,
} from './fixtures/tracks.ts'

type Table = 'libraries' | 'library_shares' | 'packs' | 'track_share_links' | 'pack_links'

/** Makes a row look as if it had not changed since its creation, so that a change is visible. */
const forgetChanges = (context: ScenarioContext, table: Table, id: string) =>
  context.changeRows(`update ${table} set updated_at = created_at where id = $1`, [id])

const codes = { isrc: ' us-s1z-99-00001 ', iswc: 't-034.524.680-1' }

/** Copies columns that no response contains into the title, so that they are compared. */
const showCodes = (context: ScenarioContext, trackId: string) =>
  context.changeRows(`update tracks set title = concat(isrc_compact, ' ', iswc_compact) where id = $1`, [
    trackId,
  ])

const isVisibleSince = '2026-01-01T00:00:00.000Z'

/** Scenarios for writes that must not change stored rows, and for values that a write stores without returning them. */
export const storedChanges = [
  defineScenario('tracks.metadata.update', 200, 'stores the compact form of codes', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    return { as: owner, params, body: codes, settle: () => showCodes(context, params.trackId) }
  }),
  defineScenario('tracks.metadata.update', 200, 'clears the compact form of codes', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await owner.call('tracks.metadata.update', { params, body: codes })
    const body = { isrc: null }
    return { as: owner, params, body, settle: () => showCodes(context, params.trackId) }
  }),
  defineScenario('tracks.create', 201, 'stores the compact form of codes', async (context) => {
    const owner = await context.account()
    return {
      as: owner,
      body: { title: 'Low Tide', artist: 'The Owls', ...codes },
      settle: () =>
        context.changeRows(
          `update tracks set title = concat(isrc_compact, ' ', iswc_compact) where owner_id = $1`,
          [owner.accountId],
        ),
    }
  }),
  ...[{ text: 'Mine' }, { text: '' }].map((body) =>
    defineScenario(
      'tracks.lyrics.replace',
      200,
      `keeps ${JSON.stringify(body)} when a file has lyrics`,
      async (context) => {
        const track = await createOwnedTrack(context)
        const settle = async () => {
          await uploadFile(track, 'tracks.versions.upload', createMp3())
          await waitForProcessing(track)
        }
        return { as: track.owner, params: track.params, body, settle }
      },
      { needsFfmpeg: true },
    ),
  ),

  defineScenario('tracks.uploads.finalize', 409, 'enforces the quota for files', async (context) => {
    const track = await createOwnedTrack(context)
    for (let index = 0; index < 4; index++)
      await uploadFile(track, 'tracks.documents.upload', createDocument())
    await waitForProcessing(track)
    const { id: trackId } = await createTrack(track.owner, 'Another')
    const another = { owner: track.owner, params: { trackId } }
    const { uploadId } = await uploadWithoutFinalizing(another, 'tracks.documents.upload', createDocument())
    await context.changeRows('update uploads set track_id = $2 where id = $1', [
      uploadId,
      track.params.trackId,
    ])
    return { as: track.owner, params: { ...track.params, uploadId } }
  }),
  defineScenario('tracks.processing.retry', 202, 'repeats an analysis that failed', async (context) => {
    const track = await createProcessedTrack(context, createWav())
    for (const table of ['processing_lanes', 'processing_stages'])
      await context.changeRows(`update ${table} set status = 'failed' where track_id = $1`, [
        track.params.trackId,
      ])
    return { as: track.owner, params: track.params, ...readAfterProcessing(track) }
  }),
  defineScenario('tracks.processing.status', 200, 'returns failures without a message', async (context) => {
    const { owner, params } = await createProcessedTrack(context, createWav())
    for (const table of ['processing_stages', 'media_dispatches', 'ingestion_runs'])
      await context.changeRows(
        `update ${table} set status = 'failed', error_code = 'analysis_failed', error_message = null where track_id = $1`,
        [params.trackId],
      )
    return { as: owner, params }
  }),
  defineScenario(
    'tracks.processing.status',
    200,
    'returns stages in progress, and lanes in every state',
    async (context) => {
      const { owner, params } = await createProcessedTrack(context, createWav())
      await context.changeRows(
        `update processing_stages set status = 'running', progress = 0.3333, attempt = 7, completed_at = null,
        created_at = case when lane in ('tags', 'stems') then '2026-01-01' else created_at end where track_id = $1`,
        [params.trackId],
      )
      await context.changeRows(
        `update processing_lanes set status = case lane when 'tags' then 'failed' when 'stems' then 'skipped'
        when 'lyrics' then 'pending' when 'waveform' then 'processing' else 'ready' end where track_id = $1`,
        [params.trackId],
      )
      return { as: owner, params }
    },
  ),
  defineScenario(
    'tracks.processing.status',
    200,
    'returns the last of two runs with the same time',
    async (context) => {
      const { owner, params, versionIds } = await createProcessedTrack(context, createBrokenWav())
      await context.changeRows(
        `insert into ingestion_runs (id, track_id, version_id, trigger, status, created_at)
        select $3, track_id, version_id, 'retry', 'succeeded', created_at from ingestion_runs
        where track_id = $1 and version_id = $2`,
        [params.trackId, versionIds[0] ?? '', context.unique('run')],
      )
      return { as: owner, params }
    },
  ),
  defineScenario(
    'tracks.share-links.revoke',
    204,
    'keeps the time of an earlier revocation',
    async (context) => {
      const { owner, params } = await createTrackWithShareLink(context)
      await owner.call('tracks.share-links.revoke', { params })
      await context.changeRows(
        'update track_share_links set revoked_at = $2, updated_at = created_at where id = $1',
        [params.linkId, isVisibleSince],
      )
      return { as: owner, params }
    },
  ),
  ...(
    [
      [201, 'accepts the last link that the quota allows', 999],
      [409, 'enforces the quota for active links', 1000],
    ] as const
  ).map(([status, title, count]) =>
    defineScenario('tracks.share-links.create', status, title, async (context) => {
      const { owner, trackId, link, params } = await createTrackWithShareLink(context)
      // Adds links beside the first one. Those of them that are revoked or expired do not count towards the quota.
      await context.changeRows(
        `insert into track_share_links (id, track_id, token_hash, token_preview, expires_at, revoked_at)
          select $1 || '-' || n, $2, encode(sha256(convert_to($1 || '-' || n, 'UTF8')), 'hex'), 'aaaa',
            case when n % 3 = 1 and n > $3::int - 1 then '2020-01-01'::timestamptz end,
            case when n % 3 = 2 and n > $3::int - 1 then '2020-01-01'::timestamptz end
          from generate_series(1, $3::int + 1) n where n <= $3::int - 1 or n % 3 > 0`,
        [params.linkId, trackId, String(count)],
      )
      return { as: owner, params: { trackId: link.trackId }, body: { name: 'Another' } }
    }),
  ),

  defineScenario('packs.links.revoke', 204, 'keeps the time of an earlier revocation', async (context) => {
    const owner = await context.account()
    const { id: packId } = await createPack(owner)
    const { id: linkId } = await createLinkToPack(context, owner, packId)
    const params = { packId, linkId }
    await owner.call('packs.links.revoke', { params })
    await context.changeRows('update pack_links set revoked_at = $2 where id = $1', [linkId, isVisibleSince])
    const settle = () =>
      context.changeRows('update pack_links set expires_at = revoked_at where id = $1', [linkId])
    return { as: owner, params, settle }
  }),
  defineScenario('packs.links.revoke', 204, 'stores when the link changed', async (context) => {
    const owner = await context.account()
    const { id: packId } = await createPack(owner)
    const { id: linkId } = await createLinkToPack(context, owner, packId)
    await context.changeRows('update pack_links set updated_at = $2 where id = $1', [linkId, isVisibleSince])
    const settle = () =>
      context.changeRows('update pack_links set expires_at = updated_at where id = $1', [linkId])
    return { as: owner, params: { packId, linkId }, settle }
  }),
  defineScenario(
    'packs.tracks.add',
    200,
    'does not change a pack that contains the track',
    async (context) => {
      const { owner, params, trackIds } = await createPackOfTracks(context, 2)
      await forgetChanges(context, 'packs', params.packId)
      return { as: owner, params, body: { trackId: trackIds[1] } }
    },
  ),

  defineScenario('packs.tracks.remove', 204, 'sets when the pack last changed', async (context) => {
    const { owner, params, trackIds } = await createPackOfTracks(context, 2)
    await forgetChanges(context, 'packs', params.packId)
    return { as: owner, params: { ...params, trackId: trackIds[1] ?? '' } }
  }),
  defineScenario('packs.tracks.reorder', 200, 'sets when the pack last changed', async (context) => {
    const { owner, params, trackIds } = await createPackOfTracks(context, 2)
    await forgetChanges(context, 'packs', params.packId)
    return { as: owner, params, body: { trackIds } }
  }),
  defineScenario('packs.tracks.reorder', 409, 'does not change a pack with other tracks', async (context) => {
    const { owner, params, trackIds } = await createPackOfTracks(context, 2)
    await forgetChanges(context, 'packs', params.packId)
    return { as: owner, params, body: { trackIds: trackIds.slice(1) } }
  }),

  defineScenario(
    'libraries.tracks.add',
    200,
    'does not change a library that contains the track',
    async (context) => {
      const owner = await context.account()
      const { id: libraryId } = await createLibrary(owner)
      const request = { params: { libraryId }, body: { trackId: (await createTrack(owner)).id } }
      await owner.call('libraries.tracks.add', request)
      await forgetChanges(context, 'libraries', libraryId)
      await context.changeRows('update library_tracks set added_at = $2 where library_id = $1', [
        libraryId,
        isVisibleSince,
      ])
      return { as: owner, ...request }
    },
  ),
  defineScenario(
    'libraries.tracks.remove',
    204,
    "updates the library's time, and keeps the positions of other tracks",
    async (context) => {
      const owner = await context.account()
      const { id: libraryId } = await createLibrary(owner)
      const { id: trackId } = await createTrack(owner, 'First')
      const others = [await createTrack(owner, 'Second'), await createTrack(owner, 'Third')]
      for (const id of [trackId, ...others.map((other) => other.id)])
        await owner.call('libraries.tracks.add', { params: { libraryId }, body: { trackId: id } })
      await forgetChanges(context, 'libraries', libraryId)
      // No response contains the positions, so they are copied into the description.
      const settle = () =>
        context.changeRows(
          `update libraries set description =
            (select string_agg(position::text, ' ' order by position) from library_tracks where library_id = $1)
            where id = $1`,
          [libraryId],
        )
      return { as: owner, params: { libraryId, trackId }, settle }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    'does not change a share that is accepted',
    async (context) => {
      const { guest, params } = await createAcceptedShare(context)
      await context.changeRows(
        'update library_shares set updated_at = created_at, responded_at = $2 where id = $1',
        [params.shareId, isVisibleSince],
      )
      return { as: guest, params, body: { inviteStatus: 'accepted' } }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    'stores when a guest leaves, even long after accepting',
    async (context) => {
      const { owner, guest, library, params } = await createAcceptedShare(context)
      await context.changeRows(
        'update library_shares set updated_at = created_at, responded_at = $2 where id = $1',
        [params.shareId, isVisibleSince],
      )
      return {
        as: guest,
        params,
        body: { inviteStatus: 'declined' },
        reads: [{ label: 'libraries.shares.list', as: owner, params: { libraryId: library.id } }],
      }
    },
  ),
  defineScenario(
    'libraries.shares.update',
    200,
    'keeps the time of the response when the owner changes the access',
    async (context) => {
      const { owner, params } = await createAcceptedShare(context)
      await context.changeRows(
        'update library_shares set updated_at = created_at, responded_at = $2 where id = $1',
        [params.shareId, isVisibleSince],
      )
      return { as: owner, params, body: { accessType: 'editor' } }
    },
  ),
  defineScenario(
    'libraries.shares.revoke',
    204,
    'stores when the share is revoked, and keeps the time of the response',
    async (context) => {
      const { owner, params } = await createAcceptedShare(context)
      await context.changeRows(
        'update library_shares set updated_at = created_at, responded_at = $2 where id = $1',
        [params.shareId, isVisibleSince],
      )
      return { as: owner, params }
    },
  ),
  defineScenario(
    'libraries.shares.revoke',
    204,
    'does not change a share that is revoked',
    async (context) => {
      const { owner, params } = await createAcceptedShare(context)
      await owner.call('libraries.shares.revoke', { params })
      await context.changeRows(
        'update library_shares set updated_at = created_at, revoked_at = $2 where id = $1',
        [params.shareId, isVisibleSince],
      )
      return { as: owner, params }
    },
  ),
]
