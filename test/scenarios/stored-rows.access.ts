import { defineScenario } from '#migration/parity/run/scenario.ts'
import { memoizePerSide, type ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createBrokenWav, createPng, createWav } from './fixtures/files.ts'
import { createLibrary, createPack, createTrack } from './fixtures/libraries.ts'
import {
  createLinkToPack,
  packDownloadLabels,
  packPageLabels,
  packPlaybackLabels,
} from './fixtures/pack-links.ts'
import { createShareLink } from './fixtures/share-links.ts'
import { addStem } from './fixtures/stems.ts'
import { createProcessedTrack, uploadFile, waitForProcessing } from './fixtures/tracks.ts'

/** Creates an e-mail invitation that another account accepted or declined before the address became the guest's. */
const createShareOfAnother = async ({ account, changeRows }: ScenarioContext, inviteStatus: string) => {
  const owner = await account({ plan: 'pro' })
  const [guest, other] = [await account(), await account()]
  const { id: libraryId } = await createLibrary(owner)
  const body = { email: guest.email, accessType: 'viewer' }
  const { id: shareId } = await owner.call('libraries.shares.create', { params: { libraryId }, body })
  await changeRows(
    `update library_shares set target_user_id = $2, invite_status = $3,
      responded_at = case $3 when 'accepted' then now() end where id = $1`,
    [shareId, other.accountId, inviteStatus],
  )
  return { as: guest, params: { libraryId, shareId } }
}

const createTrackWithFiles = async (context: ScenarioContext) => {
  const owner = await context.account({ plan: 'pro' })
  const { id: trackId } = await createTrack(owner)
  const track = { owner, params: { trackId } }
  await uploadFile(track, 'tracks.versions.upload', createWav())
  await uploadFile(track, 'tracks.artwork.upload', createPng())
  await waitForProcessing(track)
  return { owner, trackId }
}

const hideFiles = async ({ changeRows }: ScenarioContext, trackId: string, audioStatus: string) => {
  await changeRows('update track_versions set status = $2 where track_id = $1', [trackId, audioStatus])
  await changeRows(
    `update media_assets set is_primary = false,
      status = case when kind = 'original' then $2 else status end where track_id = $1`,
    [trackId, audioStatus],
  )
}

const getTrackWithHiddenFiles = (status: string) =>
  memoizePerSide(async (context) => {
    const { owner, trackId } = await createTrackWithFiles(context)
    await hideFiles(context, trackId, status)
    return { owner, trackId }
  })

/** Shared tracks with hidden files, by the status of their audio. Scenarios must not change them. */
const hiddenTracks = {
  ready: getTrackWithHiddenFiles('ready'),
  processing: getTrackWithHiddenFiles('processing'),
  failed: getTrackWithHiddenFiles('failed'),
}
type AudioStatus = keyof typeof hiddenTracks

const audioStatuses = ['processing', 'failed'] as const

const urlLabels = ['tracks.playback-url.issue', 'tracks.download-url.issue'] as const

const createPackWithHiddenFiles = async (context: ScenarioContext, audioStatus: AudioStatus) => {
  const { owner, trackId } = await hiddenTracks[audioStatus](context)
  const { id: packId } = await createPack(owner)
  await owner.call('packs.tracks.add', { params: { packId }, body: { trackId } })
  const { slug } = await createLinkToPack(context, owner, packId)
  return { params: { slug, trackId } }
}

const createLinkWithHiddenFiles = async (context: ScenarioContext, audioStatus: AudioStatus) => {
  const { owner, trackId } = await hiddenTracks[audioStatus](context)
  return { params: { token: (await createShareLink(owner, trackId)).token } }
}

/**
 * A shared link to a pack with one track. The track's current version failed, although an earlier version and a stem
 * are ready. Scenarios must not change it.
 */
const getPackOfFailedVersion = memoizePerSide(async (context) => {
  const { owner, params, versionIds } = await createProcessedTrack(context, createWav(), createBrokenWav())
  const [, versionId = ''] = versionIds
  await addStem(context, { ...params, versionId, kind: 'vocals' })
  await context.changeRows('update tracks set current_version_id = $2 where id = $1', [
    params.trackId,
    versionId,
  ])
  const { id: packId } = await createPack(owner)
  await owner.call('packs.tracks.add', { params: { packId }, body: params })
  const { slug } = await createLinkToPack(context, owner, packId)
  return { params: { slug, ...params } }
})

export const storedAccess = [
  ...(['pending', 'accepted'] as const).flatMap((status) => [
    ...(['pending', 'accepted'] as const).map((inviteStatus) =>
      defineScenario(
        'libraries.shared-with-me',
        200,
        `with inviteStatus=${inviteStatus}, lists no ${status} share of another account with the same address`,
        async (context) => {
          const { as } = await createShareOfAnother(context, status)
          return { as, query: { inviteStatus } }
        },
      ),
    ),
    defineScenario(
      'libraries.detail',
      404,
      `hides a library from the former address of a share that is ${status}`,
      async (context) => {
        const { as, params } = await createShareOfAnother(context, status)
        return { as, params: { libraryId: params.libraryId } }
      },
    ),
    defineScenario(
      'libraries.shares.update',
      404,
      `hides a share that is ${status} from its former address`,
      async (context) => ({
        ...(await createShareOfAnother(context, status)),
        body: { inviteStatus: 'declined' },
      }),
    ),
  ]),

  ...audioStatuses.flatMap((status) => [
    ...urlLabels.map((label) =>
      defineScenario(label, 404, `returns 404 to the owner for audio that is ${status}`, async (context) => {
        const { owner, trackId } = await hiddenTracks[status](context)
        return { as: owner, params: { trackId } }
      }),
    ),
    defineScenario(
      'tracks.processing.retry',
      409,
      `requires audio that is not ${status}`,
      async (context) => {
        const { owner, trackId } = await hiddenTracks[status](context)
        return { as: owner, params: { trackId } }
      },
    ),
    ...packPageLabels.map((label) =>
      defineScenario(label, 200, `returns a track whose audio is ${status}`, async (context) => {
        const { params } = await createPackWithHiddenFiles(context, status)
        return { params: { slug: params.slug } }
      }),
    ),
    ...[...packPlaybackLabels, ...packDownloadLabels].map((label) =>
      defineScenario(label, 404, `returns 404 for audio that is ${status}`, (context) =>
        createPackWithHiddenFiles(context, status),
      ),
    ),
    defineScenario(
      'public.track-links.playback-url.issue',
      404,
      `returns 404 for audio that is ${status}`,
      (context) => createLinkWithHiddenFiles(context, status),
    ),
  ]),
  ...packPageLabels.map((label) =>
    defineScenario(label, 200, 'returns a track whose current version failed', getPackOfFailedVersion),
  ),
  ...[...packPlaybackLabels, ...packDownloadLabels].map((label) =>
    defineScenario(label, 404, 'returns 404 if the current version failed', getPackOfFailedVersion),
  ),
  defineScenario('public.track-links.detail', 200, 'returns only primary artwork', (context) =>
    createLinkWithHiddenFiles(context, 'ready'),
  ),
]
