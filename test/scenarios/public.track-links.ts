import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createTrack } from './fixtures/libraries.ts'
import { getSharer, linkEnds } from './fixtures/links.ts'
import { getRecording } from './fixtures/recordings.ts'
import { invalidShareEvents, validShareEvents, visitQueries } from './fixtures/share-events.ts'
import { createEndedShareLink, createShareLink, createTrackWithShareLink } from './fixtures/share-links.ts'

const page = 'public.track-links.detail'
const playback = 'public.track-links.playback-url.issue'
const events = 'public.track-links.share-events.record'
const labels = [page, playback, events] as const

const later = '2999-12-31T23:59:59.999Z'

const unknownTokens: readonly (readonly [title: string, token: string])[] = [
  ['an unknown token', 'a'.repeat(43)],
  ['a malformed token', 'no token'],
  ['a token that is too long', 'a'.repeat(2000)],
]

const createRecordingLink = async (context: ScenarioContext, body = {}) => {
  const { owner, trackId } = await getRecording(context)
  const { token } = await createShareLink(owner, trackId, body)
  return { params: { token } }
}

const createLinkWithoutAudio = async (context: ScenarioContext) => ({
  params: { token: (await createTrackWithShareLink(context)).token },
})

export const publicTrackLinks = [
  ...labels.flatMap((label) => [
    ...unknownTokens.map(([title, token]) =>
      defineScenario(label, 404, `does not find ${title}`, () => ({ params: { token } })),
    ),
    ...linkEnds.map((end) =>
      defineScenario(label, 404, `does not find a link that is ${end}`, async (context) => ({
        params: { token: (await createEndedShareLink(context, end)).token },
      })),
    ),
    defineScenario(label, 404, 'does not find a token that was reset', async (context) => {
      const { owner, params, token } = await createTrackWithShareLink(context)
      await owner.call('tracks.share-links.reset', { params })
      return { params: { token } }
    }),
    defineScenario(label, 404, 'does not find a link to a removed track', async (context) => {
      const { owner, trackId, token } = await createTrackWithShareLink(context)
      await owner.call('tracks.remove', { params: { trackId } })
      return { params: { token } }
    }),
    defineScenario(
      label,
      429,
      'rate-limits a visitor',
      async (context) => {
        const request = await createRecordingLink(context)
        await context.requestUntilRateLimited(label, request)
        return request
      },
      { isIsolated: true },
    ),
  ]),
  defineScenario(
    page,
    429,
    'rate-limits requests with an unknown token',
    async (context) => {
      const request = { params: { token: context.unique('unknown') } }
      await context.requestUntilRateLimited(page, request)
      return request
    },
    { isIsolated: true },
  ),

  ...([page, playback] as const).flatMap((label) =>
    visitQueries.map(([title, query]) =>
      defineScenario(label, 200, `accepts a visit ${title}`, async (context) => ({
        ...(await createRecordingLink(context)),
        query,
      })),
    ),
  ),
  defineScenario(page, 200, 'returns a track without audio or artwork', createLinkWithoutAudio),
  defineScenario(page, 200, 'returns the name and the expiry of the link', (context) =>
    createRecordingLink(context, { name: 'For the label', expiresAt: later }),
  ),
  defineScenario(page, 200, 'returns the track for the new token after a reset', async (context) => {
    const { owner, params } = await createTrackWithShareLink(context)
    const { token } = await owner.call('tracks.share-links.reset', { params })
    return { params: { token } }
  }),
  defineScenario(page, 200, 'treats the owner like any visitor', async (context) => ({
    as: await getSharer(context),
    ...(await createRecordingLink(context)),
  })),
  defineScenario(page, 200, 'ignores the authorization header', async (context) => ({
    ...(await createRecordingLink(context)),
    headers: { authorization: 'Bearer none' },
  })),
  defineScenario(playback, 404, 'returns 404 for a track without audio', createLinkWithoutAudio),
  defineScenario(
    playback,
    404,
    'returns 404 for a track without audio, with a named link',
    async (context) => {
      const owner = await getSharer(context)
      const { id: trackId } = await createTrack(owner, 'Nothing yet')
      const { token } = await createShareLink(owner, trackId, { name: 'Early' })
      return { params: { token }, query: { source: 'newsletter' } }
    },
  ),

  ...validShareEvents.map(([title, request]) =>
    defineScenario(events, 200, `records an event ${title}`, async (context) => ({
      ...(await createLinkWithoutAudio(context)),
      ...request,
    })),
  ),
  ...invalidShareEvents.map(([title, request]) =>
    defineScenario(events, 400, `rejects ${title}`, async (context) => ({
      ...(await createLinkWithoutAudio(context)),
      ...request,
    })),
  ),
  defineScenario(events, 404, 'returns 404 before it parses the body', () => ({
    params: { token: 'a'.repeat(43) },
    text: '{',
  })),
]
