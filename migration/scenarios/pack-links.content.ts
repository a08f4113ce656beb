import { scenario } from '../contract-run/scenario.ts'
import type { ScenarioContext } from '../contract-run/scenario-context.ts'
import { aPack } from './fixtures/libraries.ts'
import { sharer } from './fixtures/links.ts'
import {
  aGatedPackLink,
  aNewPackLink,
  aPackLink,
  linkToPack,
  packDownloads,
  packPages,
  packPlaybacks,
  packReports,
} from './fixtures/pack-links.ts'
import { refusedReports, reports, visits } from './fixtures/visits.ts'

const later = '2999-12-31T23:59:59.999Z'

const anEmptyPack = async (world: ScenarioContext) => {
  const owner = await sharer(world)
  const { id: packId } = await aPack(owner, 'Nothing yet')
  return { params: { slug: (await linkToPack(world, owner, packId)).slug } }
}

const onLink = async (world: ScenarioContext, ask = {}) => ({
  params: { slug: (await aPackLink(world)).slug },
  ...ask,
})

/** What a page, a report, a playback and a download are of a pack that may be seen. */
export const packContent = [
  ...packPages.flatMap((label) => [
    ...visits.map(([what, query]) =>
      scenario(label, 200, `serves a visitor ${what}`, (world) => onLink(world, { query })),
    ),
    scenario(label, 200, 'shows a pack without tracks', anEmptyPack),
    scenario(label, 200, 'tells the name and the end of the link', async (world) => {
      const { slug } = await aPackLink(world, { name: 'For the label', expiresAt: later })
      return { params: { slug } }
    }),
    scenario(label, 200, 'says that downloads are off', async (world) => {
      const { slug } = await aPackLink(world, { disableDownloads: true })
      return { params: { slug } }
    }),
    scenario(label, 200, 'keeps to the order of the pack', async (world) => {
      const { owner, packId, slug, silent, audible } = await aNewPackLink(world)
      await owner.call('packs.tracks.reorder', {
        params: { packId },
        body: { trackIds: [silent, audible] },
      })
      return { params: { slug } }
    }),
  ]),

  ...packReports.flatMap((label) => [
    ...reports.map(([what, ask]) =>
      scenario(label, 200, `takes a report of ${what}`, (world) => onLink(world, ask)),
    ),
    scenario(label, 200, 'takes a report of one track', async (world) => {
      const { slug, silent } = await aPackLink(world)
      return { params: { slug }, body: { eventType: 'completed', trackId: silent, durationMs: 1000 } }
    }),
    scenario(label, 200, 'thanks its owner too', async (world) => {
      const { owner, slug } = await aPackLink(world)
      return { as: owner, params: { slug }, body: { eventType: 'viewed' } }
    }),
    ...refusedReports.map(([what, ask]) =>
      scenario(label, 400, `refuses ${what}`, (world) => onLink(world, ask)),
    ),
    scenario(label, 400, 'refuses a track that can be none', (world) =>
      onLink(world, { body: { trackId: 'no id' } }),
    ),
    scenario(label, 404, 'finds no track outside the pack', async (world) => {
      const { slug, elsewhere } = await aPackLink(world)
      return { params: { slug }, body: { trackId: elsewhere } }
    }),
    scenario(label, 403, 'asks for the code before it reads', async (world) => {
      const { slug } = await aGatedPackLink(world)
      return { params: { slug }, text: '{' }
    }),
    scenario(label, 404, 'tells of the link before it reads', () => ({
      params: { slug: 'no-such-link-anywhere' },
      text: '{',
    })),
  ]),

  ...[...packPlaybacks, ...packDownloads].flatMap((label) => [
    ...visits.map(([what, query]) =>
      scenario(label, 200, `serves a visitor ${what}`, async (world) => {
        const { slug, audible: trackId } = await aPackLink(world)
        return { params: { slug, trackId }, query }
      }),
    ),
    scenario(label, 404, 'finds nothing to hear where there is no audio', async (world) => {
      const { slug, silent: trackId } = await aPackLink(world)
      return { params: { slug, trackId } }
    }),
    scenario(label, 404, 'finds no track outside the pack', async (world) => {
      const { slug, elsewhere: trackId } = await aPackLink(world)
      return { params: { slug, trackId } }
    }),
    scenario(label, 404, 'finds no track outside the pack for its owner', async (world) => {
      const { owner, slug, elsewhere: trackId } = await aPackLink(world)
      return { as: owner, params: { slug, trackId } }
    }),
    scenario(label, 404, 'finds no track by an id that can be none', (world) =>
      onLink(world).then(({ params }) => ({ params: { ...params, trackId: 'no id' } })),
    ),
    scenario(label, 403, 'asks for the code before it tells of tracks', async (world) => {
      const { slug, elsewhere: trackId } = await aGatedPackLink(world)
      return { params: { slug, trackId } }
    }),
  ]),

  ...packPlaybacks.map((label) =>
    scenario(label, 200, 'plays where downloads are off', async (world) => {
      const { slug, audible: trackId } = await aPackLink(world, { disableDownloads: true })
      return { params: { slug, trackId } }
    }),
  ),
  ...packDownloads.flatMap((label) => [
    scenario(label, 403, 'keeps what may not be downloaded', async (world) => {
      const { slug, audible: trackId } = await aPackLink(world, { disableDownloads: true })
      return { params: { slug, trackId } }
    }),
    scenario(label, 403, 'keeps it from its owner too', async (world) => {
      const { owner, slug, audible: trackId } = await aPackLink(world, { disableDownloads: true })
      return { as: owner, params: { slug, trackId } }
    }),
    scenario(label, 403, 'keeps it whether or not there is audio', async (world) => {
      const { slug, silent: trackId } = await aPackLink(world, { disableDownloads: true })
      return { params: { slug, trackId } }
    }),
    scenario(label, 404, 'tells of the track before it tells of downloads', async (world) => {
      const { slug, elsewhere: trackId } = await aPackLink(world, { disableDownloads: true })
      return { params: { slug, trackId } }
    }),
  ]),
]
