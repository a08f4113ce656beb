import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createTrack } from './fixtures/libraries.ts'
import { expiringSoon, getSharer, linkEnds, waitForExpiry } from './fixtures/links.ts'
import {
  createEndedShareLink,
  createShareLink,
  createTrackWithShareLink,
  readIssuedShareLink,
} from './fixtures/share-links.ts'
import { createReviewLink } from './fixtures/split-sheet-links.ts'

const later = '2999-12-31T23:59:59.999Z'
const emoji = '\u{1F3B5}'

type ShareLinkRequest = Readonly<Record<string, unknown>>

const newLinks: readonly (readonly [title: string, request: ShareLinkRequest])[] = [
  ['with an empty body', { body: {} }],
  ['without a body', {}],
  ['with a trimmed name', { body: { name: '  For the label \n' } }],
  ['with a name of 120 emoji', { body: { name: emoji.repeat(120) } }],
  ['with a name in decomposed letters', { body: { name: 'Cafe\u0301' } }],
  ['with an expiry', { body: { expiresAt: later } }],
  ['with an expiry in another time zone', { body: { expiresAt: '2998-06-30T23:30:00.1234567+05:30' } }],
  ['with an expiry without fractional seconds', { body: { expiresAt: '2998-06-30t23:30:00z' } }],
  ['with an expiry tomorrow', { body: { expiresAt: new Date(Date.now() + 86_400_000).toISOString() } }],
  ['with unknown fields', { body: { name: 'For the label', token: 'mine', status: 'revoked' } }],
]

const invalidLinks: readonly (readonly [title: string, body: ShareLinkRequest])[] = [
  ['an empty name', { name: '' }],
  ['a name of spaces', { name: '   ' }],
  ['a name of 121 characters', { name: emoji.repeat(121) }],
  ['a name with a control character', { name: 'For\u0000the label' }],
  ['a lone surrogate in the name', { name: 'For \ud83c' }],
  ['null as the name', { name: null }],
  ['a number as the name', { name: 7 }],
  ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['an expiry a minute ago', { expiresAt: new Date(Date.now() - 60_000).toISOString() }],
  ['an expiry without a time zone', { expiresAt: '2999-01-01T00:00:00' }],
  ['a date as the expiry', { expiresAt: '2999-01-01' }],
  ['an expiry on a day that does not exist', { expiresAt: '2999-02-30T00:00:00Z' }],
  ['an expiry after the year 9999', { expiresAt: '9999-12-31T23:59:59-12:00' }],
  ['a number as the expiry', { expiresAt: 32_503_680_000 }],
  ['null as the expiry', { expiresAt: null }],
  ['two invalid fields', { name: '', expiresAt: 'tomorrow' }],
]

const withNewTrack = (request: ShareLinkRequest) => async (context: ScenarioContext) => {
  const owner = await getSharer(context)
  return { as: owner, params: { trackId: (await createTrack(owner)).id }, ...request }
}

const createLinksUpToLimit = async ({ account }: ScenarioContext) => {
  const owner = await account({ plan: 'starter' })
  const { id: trackId } = await createTrack(owner)
  const first = await createShareLink(owner, trackId)
  const other = await createTrack(owner, 'Another')
  await createShareLink(owner, other.id)
  await createShareLink(owner, other.id)
  return { owner, params: { trackId }, linkId: first.id }
}

export const shareLinks = [
  defineScenario('tracks.share-links.list', 200, 'returns an empty list', withNewTrack({})),
  defineScenario('tracks.share-links.list', 200, 'lists all links, newest first', async (context) => {
    const { owner, trackId } = await createEndedShareLink(context, 'expired')
    const revoked = await createShareLink(owner, trackId, { name: 'For the label' })
    await owner.call('tracks.share-links.revoke', { params: { trackId, linkId: revoked.id } })
    await createShareLink(owner, trackId, { name: 'For the singer', expiresAt: later })
    return { as: owner, params: { trackId } }
  }),
  defineScenario('tracks.share-links.list', 200, 'lists no links of another track', async (context) => {
    const { owner, trackId } = await createTrackWithShareLink(context)
    await createShareLink(owner, (await createTrack(owner, 'Another')).id, { name: 'Another' })
    return { as: owner, params: { trackId } }
  }),
  defineScenario('tracks.share-links.list', 200, 'requires no plan', async ({ account }) => {
    const owner = await account()
    return { as: owner, params: { trackId: (await createTrack(owner)).id } }
  }),

  ...newLinks.map(([title, request]) =>
    defineScenario(
      'tracks.share-links.create',
      201,
      `creates a link ${title}`,
      withNewTrack({ ...request, reads: readIssuedShareLink }),
    ),
  ),
  ...invalidLinks.map(([title, body]) =>
    defineScenario('tracks.share-links.create', 400, `rejects ${title}`, withNewTrack({ body })),
  ),
  defineScenario(
    'tracks.share-links.create',
    403,
    'requires a plan before it validates the body',
    async ({ account }) => {
      const owner = await account()
      return { as: owner, params: { trackId: (await createTrack(owner)).id }, body: { name: '' } }
    },
  ),
  defineScenario('tracks.share-links.create', 403, "enforces the plan's limit", async (context) => {
    const { owner, params } = await createLinksUpToLimit(context)
    return { as: owner, params, body: { name: 'One too many' } }
  }),
  defineScenario(
    'tracks.share-links.create',
    403,
    'enforces the limit before it parses the body',
    async (context) => {
      const { owner, params } = await createLinksUpToLimit(context)
      return { as: owner, params, text: '{' }
    },
  ),
  defineScenario('tracks.share-links.create', 201, 'does not count an expired link', async ({ account }) => {
    const owner = await account({ plan: 'starter' })
    const params = { trackId: (await createTrack(owner)).id }
    const { token } = await createShareLink(owner, params.trackId, expiringSoon())
    for (const name of ['Second', 'Third']) await createShareLink(owner, params.trackId, { name })
    await waitForExpiry(owner, 'public.track-links.detail', { token })
    return { as: owner, params, body: {} }
  }),
  defineScenario(
    'tracks.share-links.create',
    201,
    "creates the last link that the plan allows, without counting other accounts' links",
    async ({ account }) => {
      const [owner, other] = [await account({ plan: 'starter' }), await account({ plan: 'starter' })]
      const params = { trackId: (await createTrack(owner)).id }
      for (const each of [owner, owner, other])
        await createShareLink(each, each === owner ? params.trackId : (await createTrack(other)).id)
      return { as: owner, params, body: {} }
    },
  ),
  defineScenario('tracks.share-links.create', 201, 'does not count a revoked link', async (context) => {
    const { owner, params, linkId } = await createLinksUpToLimit(context)
    await owner.call('tracks.share-links.revoke', { params: { ...params, linkId } })
    return { as: owner, params, body: {} }
  }),
  defineScenario(
    'tracks.share-links.create',
    404,
    'looks up the track before it validates the body',
    async (context) => ({
      as: await getSharer(context),
      params: { trackId: (await createTrack(await context.account())).id },
      body: { name: '' },
    }),
  ),

  defineScenario('tracks.split-sheet.share-links.list', 200, 'returns an empty list', withNewTrack({})),
  defineScenario(
    'tracks.split-sheet.share-links.list',
    200,
    'returns the links to a split sheet',
    async (context) => {
      const { owner, trackId } = await createReviewLink(context, () => ({ name: 'For the writers' }))
      return { as: owner, params: { trackId } }
    },
  ),
  ...linkEnds.map((end) =>
    defineScenario('tracks.share-links.list', 200, `returns a link that is ${end}`, async (context) => {
      const { owner, trackId } = await createEndedShareLink(context, end)
      return { as: owner, params: { trackId } }
    }),
  ),
  defineScenario('tracks.share-links.list', 200, 'returns a link that was reset', async (context) => {
    const { owner, trackId, params } = await createTrackWithShareLink(context)
    await owner.call('tracks.share-links.reset', { params })
    return { as: owner, params: { trackId } }
  }),
]
