import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createPack } from './fixtures/libraries.ts'
import { getSharer } from './fixtures/links.ts'
import {
  createGatedPackLink,
  createLinkToNewPack,
  createLinkToPack,
  createPackLink,
  packDownloadLabels,
  packEventLabels,
  packPageLabels,
  packPlaybackLabels,
} from './fixtures/pack-links.ts'
import { invalidShareEvents, validShareEvents, visitQueries } from './fixtures/share-events.ts'

const later = '2999-12-31T23:59:59.999Z'

const createEmptyPackLink = async (context: ScenarioContext) => {
  const owner = await getSharer(context)
  const { id: packId } = await createPack(owner, 'Nothing yet')
  return { params: { slug: (await createLinkToPack(context, owner, packId)).slug } }
}

const requestForNewLink = async (context: ScenarioContext, request = {}) => ({
  params: { slug: (await createPackLink(context)).slug },
  ...request,
})

export const packContent = [
  ...packPageLabels.flatMap((label) => [
    ...visitQueries.map(([title, query]) =>
      defineScenario(label, 200, `accepts a visit ${title}`, (context) =>
        requestForNewLink(context, { query }),
      ),
    ),
    defineScenario(label, 200, 'returns a pack without tracks', createEmptyPackLink),
    defineScenario(label, 200, 'returns the name and the expiry of the link', async (context) => {
      const { slug } = await createPackLink(context, { name: 'For the label', expiresAt: later })
      return { params: { slug } }
    }),
    defineScenario(label, 200, 'says that downloads are disabled', async (context) => {
      const { slug } = await createPackLink(context, { disableDownloads: true })
      return { params: { slug } }
    }),
    defineScenario(label, 200, 'returns the tracks in the order of the pack', async (context) => {
      const { owner, packId, slug, withoutAudio, withAudio } = await createLinkToNewPack(context)
      await owner.call('packs.tracks.reorder', {
        params: { packId },
        body: { trackIds: [withoutAudio, withAudio] },
      })
      return { params: { slug } }
    }),
  ]),

  ...packEventLabels.flatMap((label) => [
    ...validShareEvents.map(([title, request]) =>
      defineScenario(label, 200, `records an event ${title}`, (context) =>
        requestForNewLink(context, request),
      ),
    ),
    defineScenario(label, 200, 'records an event of one track', async (context) => {
      const { slug, withoutAudio } = await createPackLink(context)
      return { params: { slug }, body: { eventType: 'completed', trackId: withoutAudio, durationMs: 1000 } }
    }),
    defineScenario(label, 200, 'accepts an event from the owner', async (context) => {
      const { owner, slug } = await createPackLink(context)
      return { as: owner, params: { slug }, body: { eventType: 'viewed' } }
    }),
    ...invalidShareEvents.map(([title, request]) =>
      defineScenario(label, 400, `rejects ${title}`, (context) => requestForNewLink(context, request)),
    ),
    defineScenario(label, 400, 'rejects a malformed track id', (context) =>
      requestForNewLink(context, { body: { trackId: 'no id' } }),
    ),
    defineScenario(label, 404, 'does not find a track outside the pack', async (context) => {
      const { slug, outsidePack } = await createPackLink(context)
      return { params: { slug }, body: { trackId: outsidePack } }
    }),
    defineScenario(label, 403, 'requires the code before it parses the body', async (context) => {
      const { slug } = await createGatedPackLink(context)
      return { params: { slug }, text: '{' }
    }),
    defineScenario(label, 404, 'returns 404 before it parses the body', () => ({
      params: { slug: 'no-such-link-anywhere' },
      text: '{',
    })),
  ]),

  ...[...packPlaybackLabels, ...packDownloadLabels].flatMap((label) => [
    ...visitQueries.map(([title, query]) =>
      defineScenario(label, 200, `accepts a visit ${title}`, async (context) => {
        const { slug, withAudio: trackId } = await createPackLink(context)
        return { params: { slug, trackId }, query }
      }),
    ),
    defineScenario(label, 404, 'returns 404 for a track without audio', async (context) => {
      const { slug, withoutAudio: trackId } = await createPackLink(context)
      return { params: { slug, trackId } }
    }),
    defineScenario(label, 404, 'does not find a track outside the pack', async (context) => {
      const { slug, outsidePack: trackId } = await createPackLink(context)
      return { params: { slug, trackId } }
    }),
    defineScenario(label, 404, 'does not find a track outside the pack for the owner', async (context) => {
      const { owner, slug, outsidePack: trackId } = await createPackLink(context)
      return { as: owner, params: { slug, trackId } }
    }),
    defineScenario(label, 404, 'does not find a malformed track id', (context) =>
      requestForNewLink(context).then(({ params }) => ({ params: { ...params, trackId: 'no id' } })),
    ),
    defineScenario(label, 403, 'requires the code before it looks up the track', async (context) => {
      const { slug, outsidePack: trackId } = await createGatedPackLink(context)
      return { params: { slug, trackId } }
    }),
  ]),

  ...packPlaybackLabels.map((label) =>
    defineScenario(label, 200, 'allows playback if downloads are disabled', async (context) => {
      const { slug, withAudio: trackId } = await createPackLink(context, { disableDownloads: true })
      return { params: { slug, trackId } }
    }),
  ),
  ...packDownloadLabels.flatMap((label) => [
    defineScenario(label, 403, 'forbids a download if downloads are disabled', async (context) => {
      const { slug, withAudio: trackId } = await createPackLink(context, { disableDownloads: true })
      return { params: { slug, trackId } }
    }),
    defineScenario(
      label,
      403,
      'forbids a download by the owner if downloads are disabled',
      async (context) => {
        const { owner, slug, withAudio: trackId } = await createPackLink(context, { disableDownloads: true })
        return { as: owner, params: { slug, trackId } }
      },
    ),
    defineScenario(
      label,
      403,
      'forbids a download of a track without audio if downloads are disabled',
      async (context) => {
        const { slug, withoutAudio: trackId } = await createPackLink(context, { disableDownloads: true })
        return { params: { slug, trackId } }
      },
    ),
    defineScenario(
      label,
      404,
      'looks up the track before it checks whether downloads are disabled',
      async (context) => {
        const { slug, outsidePack: trackId } = await createPackLink(context, { disableDownloads: true })
        return { params: { slug, trackId } }
      },
    ),
  ]),
]
