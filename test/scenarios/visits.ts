import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario, type ScenarioRequest } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createWav } from './fixtures/files.ts'
import { createPack, createTrack } from './fixtures/libraries.ts'
import {
  createLinkToPack,
  packDownloadLabels,
  packEventLabels,
  packPageLabels,
  packPlaybackLabels,
} from './fixtures/pack-links.ts'
import { createShareLink } from './fixtures/share-links.ts'
import { uploadFile, waitForProcessing } from './fixtures/tracks.ts'

type Visit = Omit<ScenarioRequest, 'as' | 'params'> & { readonly byOwner?: true }
type CreateVisited = (context: ScenarioContext) => Promise<{
  readonly owner: Account
  readonly params: Readonly<Record<string, string>>
}>

const query = { visitorId: 'v-1', sessionId: 's-1', source: 'newsletter' }
const event = { eventType: 'progress', channel: 'social', positionMs: 10, durationMs: 1000, ...query }

const createVisitedTrack = async (owner: Account, hasAudio: boolean) => {
  const { id: trackId } = await createTrack(owner)
  const track = { owner, params: { trackId } }
  if (hasAudio) {
    await uploadFile(track, 'tracks.versions.upload', createWav(1))
    await waitForProcessing(track)
  }
  return track
}

const createVisitedPack =
  (hasAudio: boolean): CreateVisited =>
  async (context) => {
    const owner = await context.account()
    const { params: track } = await createVisitedTrack(owner, hasAudio)
    const { id: packId } = await createPack(owner)
    await owner.call('packs.tracks.add', { params: { packId }, body: track })
    const { slug } = await createLinkToPack(context, owner, packId)
    return { owner, params: { slug, ...track } }
  }

const createVisitedLink =
  (hasAudio: boolean): CreateVisited =>
  async ({ account }) => {
    const { owner, params } = await createVisitedTrack(await account({ plan: 'pro' }), hasAudio)
    const { token } = await createShareLink(owner, params.trackId)
    return { owner, params: { token } }
  }

// Longer than an event can wait before it is stored with its batch.
const recordedAfterMs = 800

/**
 * Compares the owner's list of the events that a visit records. Only one side gets the visit, because a second one
 * would record another event.
 */
const recordsVisit = (
  label: Label,
  title: string,
  create: CreateVisited,
  { byOwner, ...request }: Visit = {},
) =>
  defineScenario(
    label,
    200,
    `records ${title}`,
    async (context) => {
      const { owner, params } = await create(context)
      return {
        ...request,
        params,
        ...(byOwner && { as: owner }),
        settle: () => sleep(recordedAfterMs),
        reads: [{ label: 'analytics.events.list', as: owner, fromNative: true }],
      }
    },
    { isIsolated: true },
  )

const playback = 'public.track-links.playback-url.issue'
const trackEvents = 'public.track-links.share-events.record'

export const visits = [
  ...packPageLabels.flatMap((label) => [
    recordsVisit(label, 'a visit', createVisitedPack(false), { query }),
    recordsVisit(label, 'a visit without a source', createVisitedPack(false)),
    recordsVisit(label, 'no visit by the owner', createVisitedPack(false), { query, byOwner: true }),
  ]),
  ...[...packPlaybackLabels, ...packDownloadLabels].flatMap((label) => [
    recordsVisit(label, 'a visit', createVisitedPack(true), { query }),
  ]),
  ...packEventLabels.flatMap((label) => [
    recordsVisit(label, 'an event of the pack', createVisitedPack(false), { body: event }),
    recordsVisit(label, 'the default event', createVisitedPack(false), { body: {} }),
    recordsVisit(label, 'no event by the owner', createVisitedPack(false), { body: event, byOwner: true }),
    defineScenario(
      label,
      200,
      'records an event of a track',
      async (context) => {
        const { owner, params } = await createVisitedPack(false)(context)
        return {
          params,
          body: { ...event, trackId: params.trackId },
          settle: () => sleep(recordedAfterMs),
          reads: [{ label: 'analytics.events.list', as: owner, fromNative: true }],
        }
      },
      { isIsolated: true },
    ),
  ]),
  recordsVisit('public.track-links.detail', 'a visit', createVisitedLink(false), { query }),
  recordsVisit('public.track-links.detail', 'a visit by the owner', createVisitedLink(false), {
    query,
    byOwner: true,
  }),
  recordsVisit(playback, 'a visit', createVisitedLink(true), { query }),
  recordsVisit(trackEvents, 'an event', createVisitedLink(false), { body: event }),
  recordsVisit(trackEvents, 'the default event', createVisitedLink(false), { body: {} }),
  recordsVisit(
    'tracks.download-url.issue',
    'a download by the owner',
    async ({ account }) => createVisitedTrack(await account(), true),
    { byOwner: true },
  ),
  defineScenario(
    'tracks.download-url.issue',
    404,
    'records no download of a file that does not exist',
    async ({ account }) => {
      const { owner, params } = await createVisitedTrack(await account(), false)
      return {
        as: owner,
        params,
        query: { assetId: 'unknown' },
        settle: () => sleep(recordedAfterMs),
        reads: [{ label: 'analytics.events.list', as: owner, fromNative: true }],
      }
    },
    { isIsolated: true },
  ),
]
