import { scenario } from '../contract-run/scenario.ts'
import type { ScenarioContext } from '../contract-run/scenario-context.ts'
import { aTrack } from './fixtures/libraries.ts'
import { ends, sharer } from './fixtures/links.ts'
import { anEndedShareLink, aShareLink, linkTo } from './fixtures/share-links.ts'
import { reviewLink } from './fixtures/split-sheet-links.ts'

const later = '2999-12-31T23:59:59.999Z'
const note = '\u{1F3B5}'

type Fields = Readonly<Record<string, unknown>>

const newLinks: readonly (readonly [what: string, ask: Fields])[] = [
  ['without a name or an end', { body: {} }],
  ['without a body', {}],
  ['with a name, trimmed', { body: { name: '  For the label \n' } }],
  ['with a name of 120 characters that are no letters', { body: { name: note.repeat(120) } }],
  ['with an end', { body: { expiresAt: later } }],
  ['with an end by another clock', { body: { expiresAt: '2998-06-30T23:30:00.1234567+05:30' } }],
  ['with an end without fractions of a second', { body: { expiresAt: '2998-06-30t23:30:00z' } }],
  ['with what it does not know', { body: { name: 'For the label', token: 'mine', status: 'revoked' } }],
]

const refusedLinks: readonly (readonly [what: string, body: Fields])[] = [
  ['an empty name', { name: '' }],
  ['a name of spaces', { name: '   ' }],
  ['a name of 121 characters', { name: note.repeat(121) }],
  ['a name with a control character', { name: 'For\u0000the label' }],
  ['half a character for a name', { name: 'For \ud83c' }],
  ['null for a name', { name: null }],
  ['a number for a name', { name: 7 }],
  ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['an end without an offset', { expiresAt: '2999-01-01T00:00:00' }],
  ['a day for an end', { expiresAt: '2999-01-01' }],
  ['an end on no day', { expiresAt: '2999-02-30T00:00:00Z' }],
  ['a number for an end', { expiresAt: 32_503_680_000 }],
  ['null for an end', { expiresAt: null }],
  ['two faults at once', { name: '', expiresAt: 'tomorrow' }],
]

const ofNewTrack = (ask: Fields) => async (world: ScenarioContext) => {
  const owner = await sharer(world)
  return { as: owner, params: { trackId: (await aTrack(owner)).id }, ...ask }
}

/** Somebody whose plan allows three links, and who has them. */
const atTheLimit = async ({ account }: ScenarioContext) => {
  const owner = await account({ plan: 'starter' })
  const { id: trackId } = await aTrack(owner)
  const first = await linkTo(owner, trackId)
  const other = await aTrack(owner, 'Another')
  await linkTo(owner, other.id)
  await linkTo(owner, other.id)
  return { owner, params: { trackId }, linkId: first.id }
}

/** The links of a track to their owner: who may make how many, and what is shown of them ever after. */
export const shareLinks = [
  scenario('tracks.share-links.list', 200, 'is empty at first', ofNewTrack({})),
  scenario('tracks.share-links.list', 200, 'shows every link, newest first', async (world) => {
    const { owner, trackId } = await anEndedShareLink(world, 'expired')
    const revoked = await linkTo(owner, trackId, { name: 'For the label' })
    await owner.call('tracks.share-links.revoke', { params: { trackId, linkId: revoked.id } })
    await linkTo(owner, trackId, { name: 'For the singer', expiresAt: later })
    return { as: owner, params: { trackId } }
  }),
  scenario('tracks.share-links.list', 200, 'needs no plan', async ({ account }) => {
    const owner = await account()
    return { as: owner, params: { trackId: (await aTrack(owner)).id } }
  }),

  ...newLinks.map(([what, ask]) =>
    scenario('tracks.share-links.create', 201, `makes one ${what}`, ofNewTrack(ask)),
  ),
  ...refusedLinks.map(([what, body]) =>
    scenario('tracks.share-links.create', 400, `refuses ${what}`, ofNewTrack({ body })),
  ),
  scenario(
    'tracks.share-links.create',
    403,
    'needs a plan, and says so before it reads',
    async ({ account }) => {
      const owner = await account()
      return { as: owner, params: { trackId: (await aTrack(owner)).id }, body: { name: '' } }
    },
  ),
  scenario('tracks.share-links.create', 403, 'keeps to the number of the plan', async (world) => {
    const { owner, params } = await atTheLimit(world)
    return { as: owner, params, body: { name: 'One too many' } }
  }),
  scenario('tracks.share-links.create', 403, 'counts before it reads', async (world) => {
    const { owner, params } = await atTheLimit(world)
    return { as: owner, params, text: '{' }
  }),
  scenario('tracks.share-links.create', 201, 'takes the place of a revoked one', async (world) => {
    const { owner, params, linkId } = await atTheLimit(world)
    await owner.call('tracks.share-links.revoke', { params: { ...params, linkId } })
    return { as: owner, params, body: {} }
  }),
  scenario('tracks.share-links.create', 404, 'tells of the track before it reads', async (world) => ({
    as: await sharer(world),
    params: { trackId: (await aTrack(await world.account())).id },
    body: { name: '' },
  })),

  scenario('tracks.split-sheet.share-links.list', 200, 'is empty at first', ofNewTrack({})),
  scenario('tracks.split-sheet.share-links.list', 200, 'shows the links to a sheet', async (world) => {
    const { owner, trackId } = await reviewLink(world, () => ({ name: 'For the writers' }))
    return { as: owner, params: { trackId } }
  }),
  ...ends.map((end) =>
    scenario('tracks.share-links.list', 200, `shows a link that is ${end}`, async (world) => {
      const { owner, trackId } = await anEndedShareLink(world, end)
      return { as: owner, params: { trackId } }
    }),
  ),
  scenario('tracks.share-links.list', 200, 'shows a link that was reset once', async (world) => {
    const { owner, trackId, params } = await aShareLink(world)
    await owner.call('tracks.share-links.reset', { params })
    return { as: owner, params: { trackId } }
  }),
]
