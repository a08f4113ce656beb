import { scenario } from '../contract-run/scenario.ts'
import type { ScenarioContext } from '../contract-run/scenario-context.ts'
import { aTrack } from './fixtures/libraries.ts'
import { ends, sharer } from './fixtures/links.ts'
import { recording } from './fixtures/recordings.ts'
import { anEndedShareLink, aShareLink, linkTo } from './fixtures/share-links.ts'
import { refusedReports, reports, visits } from './fixtures/visits.ts'

const page = 'public.track-links.detail'
const playback = 'public.track-links.playback-url.issue'
const events = 'public.track-links.share-events.record'
const labels = [page, playback, events] as const

const later = '2999-12-31T23:59:59.999Z'

const noTokens: readonly (readonly [what: string, token: string])[] = [
  ['of a token that nobody made', 'a'.repeat(43)],
  ['of what can be no token', 'no token'],
  ['of far too long a token', 'a'.repeat(2000)],
]

/** A link to a track that plays. */
const aRecordingLink = async (world: ScenarioContext, body = {}) => {
  const { owner, trackId } = await recording(world)
  const { token } = await linkTo(owner, trackId, body)
  return { params: { token } }
}

const silent = async (world: ScenarioContext) => ({ params: { token: (await aShareLink(world)).token } })

/** A track in front of somebody who has its link, and no account. */
export const publicTrackLinks = [
  ...labels.flatMap((label) => [
    ...noTokens.map(([what, token]) =>
      scenario(label, 404, `opens nothing ${what}`, () => ({ params: { token } })),
    ),
    ...ends.map((end) =>
      scenario(label, 404, `opens nothing that is ${end}`, async (world) => ({
        params: { token: (await anEndedShareLink(world, end)).token },
      })),
    ),
    scenario(label, 404, 'opens nothing by a token that was replaced', async (world) => {
      const { owner, params, token } = await aShareLink(world)
      await owner.call('tracks.share-links.reset', { params })
      return { params: { token } }
    }),
    scenario(label, 404, 'opens nothing of a track that was removed', async (world) => {
      const { owner, trackId, token } = await aShareLink(world)
      await owner.call('tracks.remove', { params: { trackId } })
      return { params: { token } }
    }),
    scenario(
      label,
      429,
      'holds a visitor back',
      async (world) => {
        const ask = await aRecordingLink(world)
        await world.exhaust(label, ask)
        return ask
      },
      { apart: true },
    ),
  ]),
  scenario(
    page,
    429,
    'holds back who tries a token that nobody made',
    async (world) => {
      const ask = { params: { token: world.unique('nobody') } }
      await world.exhaust(page, ask)
      return ask
    },
    { apart: true },
  ),

  ...([page, playback] as const).flatMap((label) =>
    visits.map(([what, query]) =>
      scenario(label, 200, `serves a visitor ${what}`, async (world) => ({
        ...(await aRecordingLink(world)),
        query,
      })),
    ),
  ),
  scenario(page, 200, 'shows a track without audio or cover', silent),
  scenario(page, 200, 'tells the name and the end of the link', (world) =>
    aRecordingLink(world, { name: 'For the label', expiresAt: later }),
  ),
  scenario(page, 200, 'is the same page after a reset', async (world) => {
    const { owner, params } = await aShareLink(world)
    const { token } = await owner.call('tracks.share-links.reset', { params })
    return { params: { token } }
  }),
  scenario(page, 200, 'takes the owner for anybody', async (world) => ({
    as: await sharer(world),
    ...(await aRecordingLink(world)),
  })),
  scenario(page, 200, 'does not look at a token of an account', async (world) => ({
    ...(await aRecordingLink(world)),
    headers: { authorization: 'Bearer none' },
  })),
  scenario(playback, 404, 'has nothing to play where there is no audio', silent),
  scenario(playback, 404, 'has nothing to play while the link alone is good', async (world) => {
    const owner = await sharer(world)
    const { id: trackId } = await aTrack(owner, 'Nothing yet')
    const { token } = await linkTo(owner, trackId, { name: 'Early' })
    return { params: { token }, query: { source: 'newsletter' } }
  }),

  ...reports.map(([what, ask]) =>
    scenario(events, 200, `takes a report of ${what}`, async (world) => ({
      ...(await silent(world)),
      ...ask,
    })),
  ),
  ...refusedReports.map(([what, ask]) =>
    scenario(events, 400, `refuses ${what}`, async (world) => ({ ...(await silent(world)), ...ask })),
  ),
  scenario(events, 404, 'tells of the link before it reads', () => ({
    params: { token: 'a'.repeat(43) },
    text: '{',
  })),
]
