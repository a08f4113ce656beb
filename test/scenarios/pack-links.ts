import { defineScenario } from '#migration/parity/run/scenario.ts'
import { linkEnds } from './fixtures/links.ts'
import {
  createEndedPackLink,
  createLinkToNewPack,
  createPackLink,
  getShortSlug,
  type PackLinkLabel,
  packLinkLabels,
  packLinkParamsOf,
} from './fixtures/pack-links.ts'

const unknownSlugs: readonly (readonly [title: string, slug: string])[] = [
  ['an unknown slug', 'no-such-link-anywhere'],
  ['a slug in upper case', 'NIGHT-DRIVES'],
  ['a slug that is too short', 'ab'],
  ['a slug that is too long', 'a'.repeat(65)],
  ['a slug of spaces', '   '],
]

const createNotFoundScenarios = (label: PackLinkLabel) => [
  ...unknownSlugs.map(([title, slug]) =>
    defineScenario(label, 404, `does not find ${title}`, () => ({ params: { slug, trackId: 'any' } })),
  ),
  ...linkEnds.map((end) =>
    defineScenario(label, 404, `does not find a link that is ${end}`, async (context) => ({
      params: packLinkParamsOf(await createEndedPackLink(context, end)),
    })),
  ),
  defineScenario(label, 404, 'does not find a link to a removed pack', async (context) => {
    const link = await createLinkToNewPack(context)
    await link.owner.call('packs.remove', { params: { packId: link.packId } })
    return { params: packLinkParamsOf(link) }
  }),
  defineScenario(label, 404, 'does not find a revoked link for the owner', async (context) => {
    const link = await createEndedPackLink(context, 'revoked')
    return { as: link.owner, params: packLinkParamsOf(link) }
  }),
]

const slugScenarios = (['pack-links.detail', 'public.pack-links.detail'] as const).flatMap((label) => [
  defineScenario(label, 200, 'accepts a slug of 3 characters', async (context) => ({
    params: { slug: await getShortSlug(context) },
  })),
  defineScenario(label, 200, 'accepts a slug of 64 characters', async (context) => {
    const { slug } = await createPackLink(context, { slug: context.unique('night').padEnd(64, '-x') })
    return { params: { slug } }
  }),
  defineScenario(label, 404, 'does not find the slug of a link in upper case', async (context) => ({
    params: { slug: (await createPackLink(context)).slug.toUpperCase() },
  })),
  defineScenario(label, 404, 'does not find the slug of a link between spaces', async (context) => ({
    params: { slug: ` ${(await createPackLink(context)).slug} ` },
  })),
])

const createRateLimitScenario = (label: PackLinkLabel) =>
  defineScenario(
    label,
    429,
    'rate-limits a visitor',
    async (context) => {
      const request = { params: packLinkParamsOf(await createPackLink(context)) }
      await context.requestUntilRateLimited(label, request)
      return request
    },
    { isIsolated: true },
  )

export const packLinks = [
  ...packLinkLabels.flatMap((label) => [...createNotFoundScenarios(label), createRateLimitScenario(label)]),
  ...slugScenarios,
]
