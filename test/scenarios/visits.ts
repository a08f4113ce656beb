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
import { getRecording } from './fixtures/recordings.ts'
import { createShareLink } from './fixtures/share-links.ts'
import { uploadFile, waitForProcessing } from './fixtures/tracks.ts'

type VisitRequest = Omit<ScenarioRequest, 'as' | 'params'>
type Visit = VisitRequest & {
  readonly byOwner?: true
  /** Earlier visits, by another account. */
  readonly earlier?: readonly VisitRequest[]
}
type CreateVisited = (context: ScenarioContext) => Promise<{
  readonly owner: Account
  readonly params: Readonly<Record<string, string>>
  /** The read that counts the visitors. */
  readonly report: Pick<ScenarioRequest, 'params'> & { readonly label: Label }
}>

const query = { visitorId: 'v-1', sessionId: 's-1', source: 'newsletter' }
const event = { eventType: 'progress', channel: 'social', positionMs: 10, durationMs: 1000, ...query }

// Together with `query`, these are visits of two visitors, because a session counts as one. The number is different if
// either of the two ids is not stored.
const earlierVisitors: readonly Readonly<Record<string, string>>[] = [
  { visitorId: 'v-2', sessionId: 's-1' },
  { visitorId: 'v-3' },
]
const earlierVisits = earlierVisitors.map((visitor) => ({ query: visitor }))
const earlierEvents = earlierVisitors.map((visitor) => ({ body: visitor }))

// Stored without the line feed and the first space, cut after 120 characters.
const longSource = ` \n${'\u{1F3B5}'.repeat(119)} ab`
const longEvent = {
  ...event,
  source: longSource,
  positionMs: 2 ** 31,
  durationMs: Number.MAX_SAFE_INTEGER,
}

const createVisitedTrack = async (owner: Account, hasAudio: boolean) => {
  const { id: trackId } = await createTrack(owner)
  const params = { trackId }
  const track = { owner, params, report: { label: 'analytics.tracks.detail', params } as const }
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
    const report = { label: 'analytics.packs.detail', params: { packId } } as const
    return { owner, params: { slug, ...track }, report }
  }

const createVisitedLink =
  (hasAudio: boolean): CreateVisited =>
  async ({ account }) => {
    const { owner, params, report } = await createVisitedTrack(await account({ plan: 'pro' }), hasAudio)
    const { token } = await createShareLink(owner, params.trackId)
    return { owner, params: { token }, report }
  }

// Longer than an event can wait before it is stored with its batch.
const recordedAfterMs = 800

/**
 * Compares the owner's list of the events that a visit records, and the number of visitors. Only one side gets the
 * visit, because a second one would record another event.
 */
const recordsVisit = (
  label: Label,
  title: string,
  create: CreateVisited,
  { byOwner, earlier = [], ...request }: Visit = {},
) =>
  defineScenario(
    label,
    200,
    `records ${title}`,
    async (context) => {
      const { owner, params, report } = await create(context)
      const visitor = await context.account()
      for (const visit of earlier) await visitor.call(label, { params, ...visit })
      return {
        ...request,
        params,
        ...(byOwner && { as: owner }),
        settle: () => sleep(recordedAfterMs),
        reads: [
          { label: 'analytics.events.list', as: owner, fromNative: true },
          { ...report, as: owner, fromNative: true },
        ],
      }
    },
    { isIsolated: true },
  )

const playback = 'public.track-links.playback-url.issue'
const trackEvents = 'public.track-links.share-events.record'

export const visits = [
  ...packPageLabels.flatMap((label) => [
    recordsVisit(label, 'a visit', createVisitedPack(false), { query, earlier: earlierVisits }),
    recordsVisit(label, 'a visit without a source', createVisitedPack(false)),
    recordsVisit(label, 'no visit by the owner', createVisitedPack(false), { query, byOwner: true }),
  ]),
  ...[...packPlaybackLabels, ...packDownloadLabels].flatMap((label) => [
    recordsVisit(label, 'a visit', createVisitedPack(true), { query, earlier: earlierVisits }),
    defineScenario(
      label,
      200,
      'records no visit by the owner',
      async (context) => {
        const { owner, trackId } = await getRecording(context)
        const { id: packId } = await createPack(owner)
        await owner.call('packs.tracks.add', { params: { packId }, body: { trackId } })
        const { slug } = await createLinkToPack(context, owner, packId)
        return {
          as: owner,
          params: { slug, trackId },
          query,
          settle: () => sleep(recordedAfterMs),
          reads: [{ label: 'analytics.packs.detail', as: owner, params: { packId }, fromNative: true }],
        }
      },
      { isIsolated: true },
    ),
  ]),
  ...packEventLabels.flatMap((label) => [
    recordsVisit(label, 'an event of the pack', createVisitedPack(false), {
      body: event,
      earlier: earlierEvents,
    }),
    recordsVisit(label, 'an event with long values', createVisitedPack(false), { body: longEvent }),
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
  recordsVisit('public.pack-links.detail', 'a visit with a long source', createVisitedPack(false), {
    query: { ...query, source: longSource },
  }),
  recordsVisit('public.track-links.detail', 'a visit', createVisitedLink(false), {
    query,
    earlier: earlierVisits,
  }),
  recordsVisit('public.track-links.detail', 'a visit without a source', createVisitedLink(false)),
  recordsVisit('public.track-links.detail', 'a visit by the owner', createVisitedLink(false), {
    query,
    byOwner: true,
  }),
  recordsVisit(playback, 'a visit', createVisitedLink(true), { query, earlier: earlierVisits }),
  recordsVisit(trackEvents, 'an event', createVisitedLink(false), { body: event, earlier: earlierEvents }),
  recordsVisit(trackEvents, 'an event with long values', createVisitedLink(false), { body: longEvent }),
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
