import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createTrack } from './fixtures/libraries.ts'
import { unknownId } from './fixtures/links.ts'
import { createOverlappingPacks, createPackOfTracks } from './fixtures/packs.ts'

export const packTracks = [
  defineScenario('packs.tracks.add', 200, 'adds the first track', async (context) => {
    const { owner, reads, params } = await createPackOfTracks(context, 0)
    return { as: owner, reads, params, body: { trackId: (await createTrack(owner)).id } }
  }),
  ...[0, 1, 2, 99, 100_000].map((position) =>
    defineScenario(
      'packs.tracks.add',
      200,
      `adds a track at position ${position} of two`,
      async (context) => {
        const { owner, reads, params } = await createPackOfTracks(context, 2)
        return { as: owner, reads, params, body: { trackId: (await createTrack(owner)).id, position } }
      },
    ),
  ),
  defineScenario('packs.tracks.add', 200, 'appends a track by default', async (context) => {
    const { owner, reads, params } = await createPackOfTracks(context, 2)
    return { as: owner, reads, params, body: { trackId: (await createTrack(owner)).id, packId: 'ignored' } }
  }),
  defineScenario(
    'packs.tracks.add',
    200,
    'leaves a track in its place if the pack already contains it',
    async (context) => {
      const { owner, reads, params, trackIds } = await createPackOfTracks(context, 3)
      return { as: owner, reads, params, body: { trackId: trackIds[1], position: 0 } }
    },
  ),
  defineScenario('packs.tracks.add', 200, 'adds a track after one was removed', async (context) => {
    const { owner, reads, params, trackIds } = await createPackOfTracks(context, 3)
    const [trackId = ''] = trackIds
    await owner.call('packs.tracks.remove', { params: { ...params, trackId } })
    return { as: owner, reads, params, body: { trackId } }
  }),
  defineScenario('packs.tracks.add', 200, 'adds a track after one was deleted', async (context) => {
    const { owner, reads, params, trackIds } = await createPackOfTracks(context, 3)
    const [trackId = ''] = trackIds
    await owner.call('tracks.remove', { params: { trackId } })
    return { as: owner, reads, params, body: { trackId: (await createTrack(owner)).id } }
  }),
  defineScenario(
    'packs.tracks.add',
    200,
    'adds a track of another pack without changing that pack',
    async (context) => {
      const { owner, reads, params, other } = await createOverlappingPacks(context, 2)
      const body = { trackId: (await createTrack(owner)).id, position: 0 }
      await owner.call('packs.tracks.add', { params: other, body })
      return { as: owner, reads, params, body }
    },
  ),
  defineScenario('packs.tracks.add', 404, 'does not find an unknown track', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 1)
    return { as: owner, params, body: { trackId: unknownId } }
  }),
  defineScenario('packs.tracks.add', 404, 'does not find a track of another account', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 1)
    const { id: trackId } = await createTrack(await context.account())
    return { as: owner, params, body: { trackId } }
  }),
  defineScenario('packs.tracks.add', 404, 'does not find a track that was removed', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 0)
    const { id: trackId } = await createTrack(owner)
    await owner.call('tracks.remove', { params: { trackId } })
    return { as: owner, params, body: { trackId } }
  }),
  ...[
    ['a missing track', {}],
    ['a number as the track id', { trackId: 7 }],
    ['a malformed id', { trackId: 'no id' }],
    ['a negative position', { trackId: 'track', position: -1 }],
    ['a fraction as the position', { trackId: 'track', position: 0.5 }],
    ['a position that is too large', { trackId: 'track', position: 100_001 }],
    ['text as the position', { trackId: 'track', position: '1' }],
    ['null as the position', { trackId: 'track', position: null }],
  ].map(([fault, body]) =>
    defineScenario('packs.tracks.add', 400, `rejects ${fault}`, async (context) => {
      const { owner, params } = await createPackOfTracks(context, 0)
      return { as: owner, params, body }
    }),
  ),

  ...[0, 2].map((index) =>
    defineScenario(
      'packs.tracks.remove',
      204,
      `removes the track at position ${index} of three`,
      async (context) => {
        const { owner, reads, params, trackIds } = await createPackOfTracks(context, 3)
        return { as: owner, reads, params: { ...params, trackId: trackIds[index] ?? '' } }
      },
    ),
  ),
  defineScenario('packs.tracks.remove', 204, 'removes a track from one of two packs', async (context) => {
    const { owner, reads, params, trackIds } = await createOverlappingPacks(context, 3)
    return { as: owner, reads, params: { ...params, trackId: trackIds[1] ?? '' } }
  }),
  defineScenario('packs.tracks.remove', 404, 'does not find a track of another pack', async (context) => {
    const { owner, params, other } = await createOverlappingPacks(context, 1)
    const { id: trackId } = await createTrack(owner)
    await owner.call('packs.tracks.add', { params: other, body: { trackId } })
    return { as: owner, params: { ...params, trackId } }
  }),
  defineScenario(
    'packs.tracks.remove',
    404,
    'does not find a track that is not in the pack',
    async (context) => {
      const { owner, params } = await createPackOfTracks(context, 1)
      return { as: owner, params: { ...params, trackId: (await createTrack(owner)).id } }
    },
  ),
  defineScenario('packs.tracks.remove', 404, 'does not find a track that was removed', async (context) => {
    const { owner, params, trackIds } = await createPackOfTracks(context, 2)
    const removed = { ...params, trackId: trackIds[0] ?? '' }
    await owner.call('packs.tracks.remove', { params: removed })
    return { as: owner, params: removed }
  }),
  defineScenario('packs.tracks.remove', 404, 'does not find a malformed id', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 1)
    return { as: owner, params: { ...params, trackId: 'no id' } }
  }),

  defineScenario('packs.tracks.reorder', 200, 'reverses the order', async (context) => {
    const { owner, reads, params, trackIds } = await createPackOfTracks(context, 3)
    return { as: owner, reads, params, body: { trackIds: trackIds.toReversed() } }
  }),
  defineScenario('packs.tracks.reorder', 200, 'orders one of two equal packs', async (context) => {
    const { owner, reads, params, trackIds } = await createOverlappingPacks(context, 3)
    const [first = '', ...others] = trackIds
    return { as: owner, reads, params, body: { trackIds: [...others, first] } }
  }),
  defineScenario('packs.tracks.reorder', 200, 'returns an order that does not change', async (context) => {
    const { owner, reads, params, trackIds } = await createPackOfTracks(context, 2)
    return { as: owner, reads, params, body: { trackIds } }
  }),
  defineScenario('packs.tracks.reorder', 200, 'returns no records for an empty pack', async (context) => {
    const { owner, reads, params } = await createPackOfTracks(context, 0)
    return { as: owner, reads, params, body: { trackIds: [] } }
  }),
  defineScenario(
    'packs.tracks.reorder',
    200,
    'orders the remaining tracks after a removal',
    async (context) => {
      const { owner, reads, params, trackIds } = await createPackOfTracks(context, 4)
      const [removed = '', deleted = '', ...remaining] = trackIds
      await owner.call('packs.tracks.remove', { params: { ...params, trackId: removed } })
      await owner.call('tracks.remove', { params: { trackId: deleted } })
      return { as: owner, reads, params, body: { trackIds: remaining.toReversed() } }
    },
  ),
  ...(
    [
      ['an empty order', () => []],
      ['an order without one of the tracks', ([first = '']) => [first]],
      ['an order that repeats a track', ([first = '']) => [first, first]],
      ['an order with a track that is not in the pack', ([first = '']) => [first, 'unknown']],
      ['an order with one track too many', (all) => [...all, 'unknown']],
    ] satisfies readonly (readonly [string, (trackIds: readonly string[]) => string[]])[]
  ).map(([title, orderOf]) =>
    defineScenario('packs.tracks.reorder', 409, `rejects ${title}`, async (context) => {
      const { owner, reads, params, trackIds } = await createPackOfTracks(context, 2)
      return { as: owner, reads, params, body: { trackIds: orderOf(trackIds) } }
    }),
  ),
  ...[
    ['a missing order', {}],
    ['an object as the order', { trackIds: {} }],
    ['a number as an id', { trackIds: [7] }],
    ['a malformed id', { trackIds: ['no id'] }],
  ].map(([fault, body]) =>
    defineScenario('packs.tracks.reorder', 400, `rejects ${fault}`, async (context) => {
      const { owner, params } = await createPackOfTracks(context, 0)
      return { as: owner, params, body }
    }),
  ),
]
