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

const unknownSlugs: readonly (readonly [title: string, slug: string])[] = [
  ['an unknown slug', 'no-such-link-anywhere'],
  ['a slug in upper case', 'NIGHT-DRIVES'],
  ['a slug that is too short', 'ab'],
  ['a slug that is too long', 'a'.repeat(65)],
  ['a slug of spaces', '   '],
]

const createNotFoundScenarios = (label: PackWay) => [
  ...unknownSlugs.map(([title, slug]) =>
    scenario(label, 404, `does not find ${title}`, () => ({ params: { slug, trackId: 'any' } })),
  ),
  ...ends.map((end) =>
    scenario(label, 404, `does not find a link that is ${end}`, async (context) => ({
      params: paramsOf(await anEndedPackLink(context, end)),
    })),
  ),
  scenario(label, 404, 'does not find a link to a removed pack', async (context) => {
    const link = await aNewPackLink(context)
    await link.owner.call('packs.remove', { params: { packId: link.packId } })
    return { params: paramsOf(link) }
  }),
  scenario(label, 404, 'does not find a revoked link for the owner', async (context) => {
    const link = await anEndedPackLink(context, 'revoked')
    return { as: link.owner, params: paramsOf(link) }
  }),
]

const createRateLimitScenario = (label: PackWay) =>
  scenario(
    label,
    429,
    'rate-limits a visitor',
    async (context) => {
      const request = { params: paramsOf(await aPackLink(context)) }
      await context.exhaust(label, request)
      return request
    },
    { isIsolated: true },
  )

/** Unknown links and rate limits, on every route that serves a pack by its link. */
export const packLinks = packWays.flatMap((label) => [
  ...createNotFoundScenarios(label),
  createRateLimitScenario(label),
])
