import { scenario } from '../contract-run/scenario.ts'
import { ends } from './fixtures/links.ts'
import { anEndedReviewLink, reviewLink } from './fixtures/split-sheet-links.ts'

const label = 'public.split-sheets.detail'

const later = '2999-12-31T23:59:59.999Z'

/** A split sheet in front of somebody who has a link to review it. */
export const publicSplitSheets = [
  scenario(label, 200, 'shows the sheet', async (world) => ({
    params: { token: (await reviewLink(world)).token },
  })),
  scenario(label, 200, 'tells the name and the end of the link', async (world) => ({
    params: { token: (await reviewLink(world, () => ({ name: 'For the writers', expiresAt: later }))).token },
  })),
  scenario(label, 200, 'takes the owner for anybody', async (world) => {
    const { owner, token } = await reviewLink(world)
    return { as: owner, params: { token } }
  }),
  scenario(label, 200, 'shows the sheet as it is now', async (world) => {
    const { owner, trackId, token } = await reviewLink(world)
    const all = [{ collaboratorId: 'alice', percentage: 100 }]
    await owner.call('tracks.split-sheet.replace', {
      params: { trackId },
      body: { master: all, writers: all },
    })
    return { params: { token } }
  }),
  scenario(label, 404, 'opens nothing of a token that nobody made', () => ({
    params: { token: 'a'.repeat(43) },
  })),
  scenario(label, 404, 'opens nothing of what can be no token', () => ({ params: { token: 'no token' } })),
  ...ends.map((end) =>
    scenario(label, 404, `opens nothing that is ${end}`, async (world) => ({
      params: { token: (await anEndedReviewLink(world, end)).token },
    })),
  ),
  scenario(label, 404, 'opens nothing of a track that was removed', async (world) => {
    const { owner, trackId, token } = await reviewLink(world)
    await owner.call('tracks.remove', { params: { trackId } })
    return { params: { token } }
  }),
  scenario(
    label,
    429,
    'holds a visitor back',
    async (world) => {
      const ask = { params: { token: (await reviewLink(world)).token } }
      await world.exhaust(label, ask)
      return ask
    },
    { apart: true },
  ),
]
