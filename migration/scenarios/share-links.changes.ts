import { scenario } from '../contract-run/scenario.ts'
import type { ScenarioContext } from '../contract-run/scenario-context.ts'
import { endSubscription } from './fixtures/billing.ts'
import { aTrack } from './fixtures/libraries.ts'
import { absent, ends, sharer } from './fixtures/links.ts'
import { anEndedShareLink, aShareLink, linkTo } from './fixtures/share-links.ts'

const later = '2999-12-31T23:59:59.999Z'

const changes = ['tracks.share-links.reset', 'tracks.share-links.revoke'] as const

const unknownLinks: readonly (readonly [title: string, linkId: string])[] = [
  ['an unknown link', absent],
  ['a malformed id', 'no id'],
  ['an id that is too long', 'a'.repeat(129)],
]

/** A link of an account whose subscription ended after the link was created. */
const createLinkOfFormerSubscriber = async ({ account }: ScenarioContext) => {
  const owner = await account({ plan: 'pro' })
  const { id: trackId } = await aTrack(owner)
  const { id: linkId } = await linkTo(owner, trackId)
  await endSubscription(owner)
  return { as: owner, params: { trackId, linkId } }
}

/** Resetting and revoking a link. */
export const shareLinkChanges = [
  ...changes.flatMap((label) => [
    ...unknownLinks.map(([title, linkId]) =>
      scenario(label, 404, `does not find ${title}`, async (context) => {
        const owner = await sharer(context)
        return { as: owner, params: { trackId: (await aTrack(owner)).id, linkId } }
      }),
    ),
    scenario(label, 404, 'does not find a link of another track', async (context) => {
      const { owner, link } = await aShareLink(context)
      return { as: owner, params: { trackId: (await aTrack(owner)).id, linkId: link.id } }
    }),
    scenario(label, 404, 'hides the link of another account', async (context) => ({
      as: await context.account({ plan: 'pro' }),
      params: (await aShareLink(context)).params,
    })),
  ]),

  scenario('tracks.share-links.reset', 200, 'returns a new token', async (context) => {
    const { owner, params } = await aShareLink(context)
    return { as: owner, params }
  }),
  scenario('tracks.share-links.reset', 200, 'keeps the name and the expiry', async (context) => {
    const { owner, params } = await aShareLink(context, () => ({ name: 'For the label', expiresAt: later }))
    return { as: owner, params }
  }),
  scenario('tracks.share-links.reset', 200, 'ignores the body', async (context) => {
    const { owner, params } = await aShareLink(context)
    return { as: owner, params, text: '{"name":' }
  }),
  scenario(
    'tracks.share-links.reset',
    200,
    'does not count as a new link of the plan',
    async ({ account }) => {
      const owner = await account({ plan: 'starter' })
      const { id: trackId } = await aTrack(owner)
      const { id: linkId } = await linkTo(owner, trackId)
      await linkTo(owner, trackId)
      await linkTo(owner, trackId)
      return { as: owner, params: { trackId, linkId } }
    },
  ),
  scenario(
    'tracks.share-links.reset',
    403,
    'requires the plan after the subscription has ended',
    createLinkOfFormerSubscriber,
  ),
  scenario(
    'tracks.share-links.reset',
    403,
    'requires a plan before it looks up the link',
    async ({ account }) => {
      const owner = await account()
      return { as: owner, params: { trackId: (await aTrack(owner)).id, linkId: absent } }
    },
  ),
  ...ends.map((end) =>
    scenario('tracks.share-links.reset', 409, `rejects a link that is ${end}`, async (context) => {
      const { owner, params } = await anEndedShareLink(context, end)
      return { as: owner, params }
    }),
  ),

  scenario('tracks.share-links.revoke', 204, 'revokes the link', async (context) => {
    const { owner, params } = await aShareLink(context)
    return { as: owner, params }
  }),
  scenario('tracks.share-links.revoke', 204, 'ignores the body', async (context) => {
    const { owner, params } = await aShareLink(context)
    return { as: owner, params, text: '{"name":' }
  }),
  ...ends.map((end) =>
    scenario('tracks.share-links.revoke', 204, `accepts a link that is ${end}`, async (context) => {
      const { owner, params } = await anEndedShareLink(context, end)
      return { as: owner, params }
    }),
  ),
  scenario('tracks.share-links.revoke', 204, 'requires no plan', createLinkOfFormerSubscriber),
]
