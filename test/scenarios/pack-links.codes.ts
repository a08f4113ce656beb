import { defineScenario } from '#migration/parity/run/scenario.ts'
import { memoizePerSide } from '#migration/parity/run/scenario-context.ts'
import {
  createGatedPackLink,
  createLinkToPack,
  createPackLink,
  type PackLinkLabel,
  packLinkLabels,
  packLinkParamsOf,
  validAccessCode,
} from './fixtures/pack-links.ts'

const isPublic = (label: PackLinkLabel) => label.startsWith('public.')

const missingCodes: readonly (readonly [title: string, query: Readonly<Record<string, string>>])[] = [
  ['without a code', {}],
  ['with an empty code', { accessCode: '' }],
]

const incorrectCodes: readonly (readonly [title: string, accessCode: string])[] = [
  ['with the code in upper case', validAccessCode.toUpperCase()],
  ['with the code and a trailing space', `${validAccessCode} `],
  ['with a code over the maximum length', 'x'.repeat(1000)],
]

const createWrongCodeScenario = (label: PackLinkLabel, title: string, accessCode: string) =>
  defineScenario(label, 403, `rejects a request ${title}`, async (context) => ({
    params: packLinkParamsOf(await createGatedPackLink(context)),
    query: { accessCode },
  }))

const createAccessCodeScenarios = (label: PackLinkLabel) => {
  // One link is enough, because no request reaches the slow comparison of codes or its rate limit.
  const getGatedLink = memoizePerSide(createGatedPackLink)
  return [
    ...missingCodes.map(([title, query]) =>
      defineScenario(label, 403, `rejects a request ${title}`, async (context) => ({
        params: packLinkParamsOf(await getGatedLink(context)),
        query,
      })),
    ),
    createWrongCodeScenario(label, 'with a wrong code', 'open barley'),
    defineScenario(label, 403, 'rejects another account without the code', async (context) => ({
      as: await context.account(),
      params: packLinkParamsOf(await getGatedLink(context)),
    })),
    defineScenario(label, 200, 'accepts the code', async (context) => ({
      params: packLinkParamsOf(await createGatedPackLink(context)),
      query: { accessCode: validAccessCode, visitorId: 'v-1' },
    })),
    defineScenario(label, 200, 'ignores a code for a link without one', async (context) => ({
      params: packLinkParamsOf(await createPackLink(context)),
      query: { accessCode: 'anything' },
    })),
    defineScenario(
      label,
      isPublic(label) ? 403 : 200,
      isPublic(label) ? 'requires the code from the owner' : 'does not require the code from the owner',
      async (context) => {
        const link = await createGatedPackLink(context)
        return { as: link.owner, params: packLinkParamsOf(link) }
      },
    ),
    defineScenario(label, 200, 'treats an invalid token as anonymous', async (context) => ({
      params: packLinkParamsOf(await createPackLink(context)),
      headers: { authorization: 'Bearer none' },
    })),
  ]
}

// Comparing codes is slow on purpose, so only two routes try most of the incorrect codes.
const incorrectCodeScenarios = (
  ['pack-links.detail', 'public.pack-links.download-url.issue'] as const
).flatMap((label) => [
  ...incorrectCodes.map(([title, code]) => createWrongCodeScenario(label, title, code)),
  defineScenario(label, 200, 'accepts the first of two codes', async (context) => ({
    params: packLinkParamsOf(await createGatedPackLink(context)),
    query: [validAccessCode, 'open barley'].map((code) => ['accessCode', code] as const),
  })),
  defineScenario(label, 403, 'rejects the code of another link', async (context) => {
    const { owner, packId, withAudio } = await createGatedPackLink(context)
    const slug = context.unique('day')
    await createLinkToPack(context, owner, packId, { slug, accessCode: 'another code' })
    return { params: { slug, trackId: withAudio }, query: { accessCode: validAccessCode } }
  }),
  defineScenario(
    label,
    429,
    'rate-limits incorrect codes',
    async (context) => {
      const request = {
        params: packLinkParamsOf(await createGatedPackLink(context)),
        query: { accessCode: 'open barley' },
      }
      await context.requestUntilRateLimited(label, request)
      return request
    },
    { isIsolated: true },
  ),
])

export const packCodes = [...packLinkLabels.flatMap(createAccessCodeScenarios), ...incorrectCodeScenarios]
