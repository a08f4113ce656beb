import { scenario } from '../contract-run/scenario.ts'
import type { ScenarioContext } from '../contract-run/scenario-context.ts'
import { endSubscription } from './fixtures/billing.ts'
import { aTrack } from './fixtures/libraries.ts'
import { absent, ends, sharer } from './fixtures/links.ts'
import { anEndedShareLink, aShareLink, linkTo } from './fixtures/share-links.ts'

const later = '2999-12-31T23:59:59.999Z'

const changes = ['tracks.share-links.reset', 'tracks.share-links.revoke'] as const

const lacking: readonly (readonly [what: string, linkId: string])[] = [
  ['that does not exist', absent],
  ['by an id that can be none', 'no id'],
  ['by an id that is too long', 'a'.repeat(129)],
]

/** A link of somebody whose subscription has ended since. */
const ofAFormerSubscriber = async ({ account }: ScenarioContext) => {
  const owner = await account({ plan: 'pro' })
  const { id: trackId } = await aTrack(owner)
  const { id: linkId } = await linkTo(owner, trackId)
  await endSubscription(owner)
  return { as: owner, params: { trackId, linkId } }
}

/** What becomes of a link: a new token for the same link, or no more of it. */
export const shareLinkChanges = [
  ...changes.flatMap((label) => [
    ...lacking.map(([what, linkId]) =>
      scenario(label, 404, `finds no link ${what}`, async (world) => {
        const owner = await sharer(world)
        return { as: owner, params: { trackId: (await aTrack(owner)).id, linkId } }
      }),
    ),
    scenario(label, 404, 'finds no link of another track', async (world) => {
      const { owner, link } = await aShareLink(world)
      return { as: owner, params: { trackId: (await aTrack(owner)).id, linkId: link.id } }
    }),
    scenario(label, 404, 'hides the link of somebody else', async (world) => ({
      as: await world.account({ plan: 'pro' }),
      params: (await aShareLink(world)).params,
    })),
  ]),

  scenario('tracks.share-links.reset', 200, 'gives a new token', async (world) => {
    const { owner, params } = await aShareLink(world)
    return { as: owner, params }
  }),
  scenario('tracks.share-links.reset', 200, 'keeps the name and the end', async (world) => {
    const { owner, params } = await aShareLink(world, () => ({ name: 'For the label', expiresAt: later }))
    return { as: owner, params }
  }),
  scenario('tracks.share-links.reset', 200, 'reads no body', async (world) => {
    const { owner, params } = await aShareLink(world)
    return { as: owner, params, text: '{"name":' }
  }),
  scenario('tracks.share-links.reset', 200, 'is no new link to the plan', async ({ account }) => {
    const owner = await account({ plan: 'starter' })
    const { id: trackId } = await aTrack(owner)
    const { id: linkId } = await linkTo(owner, trackId)
    await linkTo(owner, trackId)
    await linkTo(owner, trackId)
    return { as: owner, params: { trackId, linkId } }
  }),
  scenario('tracks.share-links.reset', 403, 'needs the plan still', ofAFormerSubscriber),
  scenario('tracks.share-links.reset', 403, 'needs a plan before there is a link', async ({ account }) => {
    const owner = await account()
    return { as: owner, params: { trackId: (await aTrack(owner)).id, linkId: absent } }
  }),
  ...ends.map((end) =>
    scenario('tracks.share-links.reset', 409, `does not bring back what is ${end}`, async (world) => {
      const { owner, params } = await anEndedShareLink(world, end)
      return { as: owner, params }
    }),
  ),

  scenario('tracks.share-links.revoke', 204, 'revokes', async (world) => {
    const { owner, params } = await aShareLink(world)
    return { as: owner, params }
  }),
  scenario('tracks.share-links.revoke', 204, 'reads no body', async (world) => {
    const { owner, params } = await aShareLink(world)
    return { as: owner, params, text: '{"name":' }
  }),
  ...ends.map((end) =>
    scenario('tracks.share-links.revoke', 204, `revokes what is ${end}`, async (world) => {
      const { owner, params } = await anEndedShareLink(world, end)
      return { as: owner, params }
    }),
  ),
  scenario('tracks.share-links.revoke', 204, 'needs no plan any more', ofAFormerSubscriber),
]
