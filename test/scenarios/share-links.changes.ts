import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { cancelSubscriptionNow } from './fixtures/billing.ts'
import { createTrack } from './fixtures/libraries.ts'
import { getSharer, linkEnds, unknownId } from './fixtures/links.ts'
import {
  createEndedShareLink,
  createShareLink,
  createTrackWithShareLink,
  readIssuedShareLink,
  readShareLink,
} from './fixtures/share-links.ts'

const later = '2999-12-31T23:59:59.999Z'

const changes = ['tracks.share-links.reset', 'tracks.share-links.revoke'] as const

const unknownLinks: readonly (readonly [title: string, linkId: string])[] = [
  ['an unknown link', unknownId],
  ['a malformed id', 'no id'],
  ['an id that is too long', 'a'.repeat(129)],
]

/** Creates a link whose owner's subscription ended after the link was created. */
const createLinkOfFormerSubscriber = async ({ account }: ScenarioContext) => {
  const owner = await account({ plan: 'pro' })
  const { id: trackId } = await createTrack(owner)
  const { id: linkId, token } = await createShareLink(owner, trackId)
  await cancelSubscriptionNow(owner)
  return { request: { as: owner, params: { trackId, linkId } }, token }
}

export const shareLinkChanges = [
  ...changes.flatMap((label) => [
    ...unknownLinks.map(([title, linkId]) =>
      defineScenario(label, 404, `does not find ${title}`, async (context) => {
        const owner = await getSharer(context)
        return { as: owner, params: { trackId: (await createTrack(owner)).id, linkId } }
      }),
    ),
    defineScenario(label, 404, 'does not find a link of another track', async (context) => {
      const { owner, link } = await createTrackWithShareLink(context)
      return { as: owner, params: { trackId: (await createTrack(owner)).id, linkId: link.id } }
    }),
    defineScenario(label, 404, 'hides the link of another account', async (context) => ({
      as: await context.account({ plan: 'pro' }),
      params: (await createTrackWithShareLink(context)).params,
    })),
  ]),

  defineScenario('tracks.share-links.reset', 200, 'returns a new token', async (context) => {
    const { owner, params, token } = await createTrackWithShareLink(context)
    const reads = (body: unknown) => [readShareLink(token), ...readIssuedShareLink(body)]
    return { as: owner, params, reads }
  }),
  defineScenario('tracks.share-links.reset', 200, 'changes one of two links', async (context) => {
    const { owner, params, trackId } = await createTrackWithShareLink(context)
    const { token } = await createShareLink(owner, trackId, { name: 'Another' })
    return { as: owner, params, reads: [readShareLink(token)] }
  }),
  defineScenario('tracks.share-links.reset', 200, 'keeps the name and the expiry', async (context) => {
    const { owner, params } = await createTrackWithShareLink(context, () => ({
      name: 'For the label',
      expiresAt: later,
    }))
    return { as: owner, params }
  }),
  defineScenario('tracks.share-links.reset', 200, 'ignores the body', async (context) => {
    const { owner, params } = await createTrackWithShareLink(context)
    return { as: owner, params, text: '{"name":' }
  }),
  defineScenario(
    'tracks.share-links.reset',
    200,
    "does not count as a new link towards the plan's limit",
    async ({ account }) => {
      const owner = await account({ plan: 'starter' })
      const { id: trackId } = await createTrack(owner)
      const { id: linkId } = await createShareLink(owner, trackId)
      await createShareLink(owner, trackId)
      await createShareLink(owner, trackId)
      return { as: owner, params: { trackId, linkId } }
    },
  ),
  defineScenario(
    'tracks.share-links.reset',
    403,
    'requires the plan after the subscription has ended',
    async (context) => (await createLinkOfFormerSubscriber(context)).request,
  ),
  defineScenario(
    'tracks.share-links.reset',
    403,
    'requires a plan before it looks up the link',
    async ({ account }) => {
      const owner = await account()
      return { as: owner, params: { trackId: (await createTrack(owner)).id, linkId: unknownId } }
    },
  ),
  ...linkEnds.map((end) =>
    defineScenario('tracks.share-links.reset', 409, `rejects a link that is ${end}`, async (context) => {
      const { owner, params } = await createEndedShareLink(context, end)
      return { as: owner, params }
    }),
  ),

  defineScenario('tracks.share-links.revoke', 204, 'revokes one of two links', async (context) => {
    const { owner, params, trackId, token } = await createTrackWithShareLink(context)
    const other = await createShareLink(owner, trackId, { name: 'Another' })
    return { as: owner, params, reads: [readShareLink(token), readShareLink(other.token)] }
  }),
  defineScenario('tracks.share-links.revoke', 204, 'ignores the body', async (context) => {
    const { owner, params } = await createTrackWithShareLink(context)
    return { as: owner, params, text: '{"name":' }
  }),
  ...linkEnds.map((end) =>
    defineScenario('tracks.share-links.revoke', 204, `accepts a link that is ${end}`, async (context) => {
      const { owner, params } = await createEndedShareLink(context, end)
      return { as: owner, params }
    }),
  ),
  defineScenario('tracks.share-links.revoke', 204, 'requires no plan', async (context) => {
    const { request, token } = await createLinkOfFormerSubscriber(context)
    return { ...request, reads: [readShareLink(token)] }
  }),

  defineScenario(
    'public.track-links.detail',
    200,
    'returns the track after the subscription has ended',
    async (context) => ({ params: { token: (await createLinkOfFormerSubscriber(context)).token } }),
  ),
]
