import { oncePerSide } from '../contract-run/once-per-side.ts'
import { scenario } from '../contract-run/scenario.ts'
import {
  aGatedPackLink,
  aPackLink,
  linkToPack,
  type PackWay,
  packWays,
  paramsOf,
  rightCode,
} from './fixtures/pack-links.ts'

const isPublic = (label: PackWay) => label.startsWith('public.')

const noCodes: readonly (readonly [what: string, query: Readonly<Record<string, string>>])[] = [
  ['without a code', {}],
  ['with an empty code', { accessCode: '' }],
]

const wrongCodes: readonly (readonly [what: string, accessCode: string])[] = [
  ['with a code in capitals', rightCode.toUpperCase()],
  ['with a code and a space', `${rightCode} `],
  ['with a code longer than any', 'x'.repeat(1000)],
]

const triesCode = (label: PackWay, what: string, accessCode: string) =>
  scenario(label, 403, `stays shut ${what}`, async (world) => ({
    params: paramsOf(await aGatedPackLink(world)),
    query: { accessCode },
  }))

const asksForTheCode = (label: PackWay) => {
  // Nobody gets as far as having a code compared with that of this one.
  const shut = oncePerSide(aGatedPackLink)
  return [
    ...noCodes.map(([what, query]) =>
      scenario(label, 403, `stays shut ${what}`, async (world) => ({
        params: paramsOf(await shut(world)),
        query,
      })),
    ),
    triesCode(label, 'with a wrong code', 'open barley'),
    scenario(label, 403, 'stays shut to another account', async (world) => ({
      as: await world.account(),
      params: paramsOf(await shut(world)),
    })),
    scenario(label, 200, 'opens with the code', async (world) => ({
      params: paramsOf(await aGatedPackLink(world)),
      query: { accessCode: rightCode, visitorId: 'v-1' },
    })),
    scenario(label, 200, 'takes a code where none is asked for', async (world) => ({
      params: paramsOf(await aPackLink(world)),
      query: { accessCode: 'anything' },
    })),
    scenario(
      label,
      isPublic(label) ? 403 : 200,
      isPublic(label) ? 'stays shut to its owner here' : 'opens to its owner without the code',
      async (world) => {
        const link = await aGatedPackLink(world)
        return { as: link.owner, params: paramsOf(link) }
      },
    ),
    scenario(label, 200, 'takes a token that is none for nobody', async (world) => ({
      params: paramsOf(await aPackLink(world)),
      headers: { authorization: 'Bearer none' },
    })),
  ]
}

// A code is compared slowly on purpose, by whatever route it comes.
const comparesCodes = (['pack-links.detail', 'public.pack-links.download-url.issue'] as const).flatMap(
  (label) => [
    ...wrongCodes.map(([what, code]) => triesCode(label, what, code)),
    scenario(label, 403, 'stays shut with the code of another link', async (world) => {
      const { owner, packId, audible } = await aGatedPackLink(world)
      const slug = world.unique('day')
      await linkToPack(world, owner, packId, { slug, accessCode: 'another code' })
      return { params: { slug, trackId: audible }, query: { accessCode: rightCode } }
    }),
    scenario(
      label,
      429,
      'holds back who tries codes',
      async (world) => {
        const ask = { params: paramsOf(await aGatedPackLink(world)), query: { accessCode: 'open barley' } }
        await world.exhaust(label, ask)
        return ask
      },
      { apart: true },
    ),
  ],
)

/** The code of a gated link: asked for on every way to its pack, save of the owner. */
export const packCodes = [...packWays.flatMap(asksForTheCode), ...comparesCodes]
