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

const missingCodes: readonly (readonly [title: string, query: Readonly<Record<string, string>>])[] = [
  ['without a code', {}],
  ['with an empty code', { accessCode: '' }],
]

const incorrectCodes: readonly (readonly [title: string, accessCode: string])[] = [
  ['with the code in upper case', rightCode.toUpperCase()],
  ['with the code and a trailing space', `${rightCode} `],
  ['with a code over the maximum length', 'x'.repeat(1000)],
]

const createWrongCodeScenario = (label: PackWay, title: string, accessCode: string) =>
  scenario(label, 403, `rejects a request ${title}`, async (context) => ({
    params: paramsOf(await aGatedPackLink(context)),
    query: { accessCode },
  }))

const createAccessCodeScenarios = (label: PackWay) => {
  // One link suffices: no request to it reaches the slow comparison of codes or its rate limit.
  const getGatedLink = oncePerSide(aGatedPackLink)
  return [
    ...missingCodes.map(([title, query]) =>
      scenario(label, 403, `rejects a request ${title}`, async (context) => ({
        params: paramsOf(await getGatedLink(context)),
        query,
      })),
    ),
    createWrongCodeScenario(label, 'with a wrong code', 'open barley'),
    scenario(label, 403, 'rejects another account without the code', async (context) => ({
      as: await context.account(),
      params: paramsOf(await getGatedLink(context)),
    })),
    scenario(label, 200, 'accepts the code', async (context) => ({
      params: paramsOf(await aGatedPackLink(context)),
      query: { accessCode: rightCode, visitorId: 'v-1' },
    })),
    scenario(label, 200, 'ignores a code for a link without one', async (context) => ({
      params: paramsOf(await aPackLink(context)),
      query: { accessCode: 'anything' },
    })),
    scenario(
      label,
      isPublic(label) ? 403 : 200,
      isPublic(label) ? 'requires the code from the owner' : 'does not require the code from the owner',
      async (context) => {
        const link = await aGatedPackLink(context)
        return { as: link.owner, params: paramsOf(link) }
      },
    ),
    scenario(label, 200, 'treats an invalid token as anonymous', async (context) => ({
      params: paramsOf(await aPackLink(context)),
      headers: { authorization: 'Bearer none' },
    })),
  ]
}

// Comparing codes is slow on purpose, so most incorrect codes are tried on two routes only.
const incorrectCodeScenarios = (
  ['pack-links.detail', 'public.pack-links.download-url.issue'] as const
).flatMap((label) => [
  ...incorrectCodes.map(([title, code]) => createWrongCodeScenario(label, title, code)),
  scenario(label, 403, 'rejects the code of another link', async (context) => {
    const { owner, packId, withAudio } = await aGatedPackLink(context)
    const slug = context.unique('day')
    await linkToPack(context, owner, packId, { slug, accessCode: 'another code' })
    return { params: { slug, trackId: withAudio }, query: { accessCode: rightCode } }
  }),
  scenario(
    label,
    429,
    'rate-limits incorrect codes',
    async (context) => {
      const request = {
        params: paramsOf(await aGatedPackLink(context)),
        query: { accessCode: 'open barley' },
      }
      await context.exhaust(label, request)
      return request
    },
    { isIsolated: true },
  ),
])

/** The access code of a link, on every route that serves its pack. */
export const packCodes = [...packWays.flatMap(createAccessCodeScenarios), ...incorrectCodeScenarios]
