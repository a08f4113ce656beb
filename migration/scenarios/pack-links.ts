import { scenario } from '../contract-run/scenario.ts'
import { ends } from './fixtures/links.ts'
import {
  aNewPackLink,
  anEndedPackLink,
  aPackLink,
  type PackWay,
  packWays,
  paramsOf,
} from './fixtures/pack-links.ts'

const noSlugs: readonly (readonly [what: string, slug: string])[] = [
  ['by a slug that no link has', 'no-such-link-anywhere'],
  ['by a slug in capitals', 'NIGHT-DRIVES'],
  ['by a slug that is too short', 'ab'],
  ['by a slug that is too long', 'a'.repeat(65)],
  ['by a slug of spaces', '   '],
]

const findsNothing = (label: PackWay) => [
  ...noSlugs.map(([what, slug]) =>
    scenario(label, 404, `finds nothing ${what}`, () => ({ params: { slug, trackId: 'any' } })),
  ),
  ...ends.map((end) =>
    scenario(label, 404, `finds nothing that is ${end}`, async (world) => ({
      params: paramsOf(await anEndedPackLink(world, end)),
    })),
  ),
  scenario(label, 404, 'finds nothing of a pack that was removed', async (world) => {
    const link = await aNewPackLink(world)
    await link.owner.call('packs.remove', { params: { packId: link.packId } })
    return { params: paramsOf(link) }
  }),
  scenario(label, 404, 'finds nothing for the owner of what is revoked', async (world) => {
    const link = await anEndedPackLink(world, 'revoked')
    return { as: link.owner, params: paramsOf(link) }
  }),
]

const holdsBack = (label: PackWay) =>
  scenario(
    label,
    429,
    'holds a visitor back',
    async (world) => {
      const ask = { params: paramsOf(await aPackLink(world)) }
      await world.exhaust(label, ask)
      return ask
    },
    { apart: true },
  )

/** What is true of every way to a pack by its link. */
export const packLinks = packWays.flatMap((label) => [...findsNothing(label), holdsBack(label)])
