import { defineScenario } from '#migration/parity/run/scenario.ts'
import { linkEnds } from './fixtures/links.ts'
import { createEndedReviewLink, createReviewLink } from './fixtures/split-sheet-links.ts'
import { detailedSheet } from './fixtures/split-sheets.ts'

const label = 'public.split-sheets.detail'

const later = '2999-12-31T23:59:59.999Z'

export const publicSplitSheets = [
  defineScenario(label, 200, 'returns the sheet', async (context) => ({
    params: { token: (await createReviewLink(context)).token },
  })),
  defineScenario(label, 200, 'returns every role and right', async (context) => ({
    params: { token: (await createReviewLink(context, undefined, detailedSheet)).token },
  })),
  defineScenario(label, 200, 'returns the name and the expiry of the link', async (context) => ({
    params: {
      token: (await createReviewLink(context, () => ({ name: 'For the writers', expiresAt: later }))).token,
    },
  })),
  defineScenario(label, 200, 'treats the owner like any visitor', async (context) => {
    const { owner, token } = await createReviewLink(context)
    return { as: owner, params: { token } }
  }),
  defineScenario(label, 200, 'returns the current version of the sheet', async (context) => {
    const { owner, trackId, token } = await createReviewLink(context)
    const all = [{ collaboratorId: 'alice', percentage: 100 }]
    await owner.call('tracks.split-sheet.replace', {
      params: { trackId },
      body: { master: all, writers: all },
    })
    return { params: { token } }
  }),
  defineScenario(label, 404, 'does not find an unknown token', () => ({
    params: { token: 'a'.repeat(43) },
  })),
  defineScenario(label, 404, 'does not find a malformed token', () => ({ params: { token: 'no token' } })),
  ...linkEnds.map((end) =>
    defineScenario(label, 404, `does not find a link that is ${end}`, async (context) => ({
      params: { token: (await createEndedReviewLink(context, end)).token },
    })),
  ),
  defineScenario(label, 404, 'does not find a link to a removed track', async (context) => {
    const { owner, trackId, token } = await createReviewLink(context)
    await owner.call('tracks.remove', { params: { trackId } })
    return { params: { token } }
  }),
  defineScenario(
    label,
    429,
    'rate-limits a visitor',
    async (context) => {
      const request = { params: { token: (await createReviewLink(context)).token } }
      await context.requestUntilRateLimited(label, request)
      return request
    },
    { isIsolated: true },
  ),
]
