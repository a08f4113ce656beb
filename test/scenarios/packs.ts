import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createPack } from './fixtures/libraries.ts'
import { createOverlappingPacks, createPackOfTracks, withNewPack } from './fixtures/packs.ts'

export const packs = [
  defineScenario('packs.list', 200, 'returns an empty list', async ({ account }) => ({
    as: await account(),
  })),
  defineScenario('packs.list', 200, 'lists the newest pack first, with counts', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 2)
    await createPack(owner, 'Newer')
    await createPack(owner, 'Newest')
    await owner.call('packs.update', { params, body: { description: 'Changed' } })
    return { as: owner }
  }),
  defineScenario('packs.list', 200, 'counts the tracks of each pack', async (context) => {
    const { owner, other, trackIds } = await createOverlappingPacks(context, 3)
    await owner.call('packs.tracks.remove', { params: { ...other, trackId: trackIds[0] ?? '' } })
    return { as: owner }
  }),
  defineScenario('packs.list', 200, 'lists no packs of another account', async ({ account }) => {
    await createPack(await account())
    return { as: await account() }
  }),

  ...[
    ['creates an empty pack', { name: 'Harbour EP' }],
    ['trims the name', { name: ' Harbour  EP\u3000' }],
    ['accepts a description with line feeds', { name: 'Harbour EP', description: ' Rough\n\tmixes ' }],
    ['accepts an empty description', { name: 'Harbour EP', description: '' }],
    ['accepts null as the description', { name: 'Harbour EP', description: null }],
    ['accepts 120 characters', { name: '\u{1F3B5}'.repeat(120) }],
    ['accepts a description of 2,000 characters', { name: 'Harbour EP', description: 'x'.repeat(2000) }],
    ['stores letters as they are composed', { name: 'Cafe\u0301 EP', description: 'Cafe\u0301 \ufb01' }],
    ['ignores unknown fields', { name: 'Harbour EP', id: 'mine', ownerId: 'acct_other', trackCount: 7 }],
  ].map(([title, body]) =>
    defineScenario('packs.create', 201, String(title), async ({ account }) => ({
      as: await account(),
      body,
    })),
  ),
  defineScenario('packs.create', 201, 'accepts the name of another pack', async ({ account }) => {
    const owner = await account()
    const { name } = await createPack(owner)
    return { as: owner, body: { name } }
  }),
  ...[
    ['a missing name', {}],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: ' \u3000 ' }],
    ['a number as the name', { name: 7 }],
    ['null as the name', { name: null }],
    ['a name of 121 characters', { name: 'x'.repeat(121) }],
    ['a line feed', { name: 'Harbour\nEP' }],
    ['a description of 2,001 characters', { name: 'Harbour EP', description: 'x'.repeat(2001) }],
    ['a number as the description', { name: 'Harbour EP', description: 7 }],
    ['a control character', { name: 'Harbour EP', description: 'a\u0000b' }],
    ['a lone surrogate', { name: 'Harbour \ud83c' }],
  ].map(([fault, body]) =>
    defineScenario('packs.create', 400, `rejects ${fault}`, async ({ account }) => ({
      as: await account(),
      body,
    })),
  ),

  defineScenario('packs.detail', 200, 'returns an empty pack', withNewPack({})),
  defineScenario('packs.detail', 200, 'counts the tracks', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 3)
    return { as: owner, params }
  }),
  defineScenario('packs.detail', 200, 'does not count a track that was removed', async (context) => {
    const { owner, params, trackIds } = await createPackOfTracks(context, 2)
    const [trackId = ''] = trackIds
    await owner.call('tracks.remove', { params: { trackId } })
    return { as: owner, params }
  }),
  defineScenario('packs.detail', 404, 'does not find a pack that was removed', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 0)
    await owner.call('packs.remove', { params })
    return { as: owner, params }
  }),

  defineScenario(
    'packs.update',
    200,
    'changes a pack that never changed',
    withNewPack({ body: { name: 'B' } }),
  ),
  defineScenario('packs.update', 200, 'counts as a change even if no value changes', async ({ account }) => {
    const owner = await account()
    const { id: packId, name } = await createPack(owner)
    return { as: owner, params: { packId }, body: { name, description: null } }
  }),
  defineScenario('packs.update', 200, 'accepts the name of another pack', async ({ account }) => {
    const owner = await account()
    const { name } = await createPack(owner)
    const { id: packId } = await createPack(owner, 'Another')
    return { as: owner, params: { packId }, body: { name } }
  }),
  ...[
    ['changes the name', { name: ' Low Tide ' }],
    ['accepts 120 characters', { name: '\u{1F3B5}'.repeat(120) }],
    ['accepts a description of 2,000 characters', { description: '\u{1F3B5}'.repeat(2000) }],
    ['changes the description', { description: ' For the road.\n\tAt night. ' }],
    ['stores letters as they are composed', { name: 'Cafe\u0301 EP', description: 'Cafe\u0301 \ufb01' }],
    ['clears the description with null', { description: null }],
    ['accepts an empty description', { description: '' }],
    ['changes name and description', { name: 'Low Tide', description: 'Rough mixes' }],
    ['ignores unknown fields', { name: 'Low Tide', trackCount: 7, createdAt: '2020-01-01T00:00:00.000Z' }],
  ].map(([title, body]) =>
    defineScenario('packs.update', 200, String(title), async (context) => {
      const { owner, params } = await createPackOfTracks(context, 1)
      await owner.call('packs.update', { params, body: { description: 'Before' } })
      await createPack(owner, 'Another')
      return { as: owner, params, body }
    }),
  ),
  ...[
    ['an empty body', {}],
    ['a lone surrogate', { name: 'Harbour \ud83c' }],
    ['only unknown fields', { colour: 'red' }],
    ['null as the name', { name: null }],
    ['an empty name', { name: '' }],
    ['a name of 121 characters', { name: 'x'.repeat(121) }],
    ['an array as the description', { description: [] }],
    ['a description of 2,001 characters', { description: 'x'.repeat(2001) }],
    ['a control character', { description: 'a\u0000b' }],
  ].map(([fault, body]) => defineScenario('packs.update', 400, `rejects ${fault}`, withNewPack({ body }))),

  defineScenario('packs.remove', 204, 'removes an empty pack', withNewPack({})),
  defineScenario('packs.remove', 204, 'removes a pack with tracks and links', async (context) => {
    const { owner, reads, params } = await createPackOfTracks(context, 2)
    await owner.call('packs.links.create', { params, body: { slug: context.unique('removed') } })
    await createPack(owner, 'Kept')
    return { as: owner, params, reads: [...reads, { label: 'tracks.list', as: owner }] }
  }),
  defineScenario('packs.remove', 204, 'removes one of two packs with the same tracks', async (context) => {
    const { owner, reads, params } = await createOverlappingPacks(context, 2)
    return { as: owner, params, reads: [...reads, { label: 'tracks.list', as: owner }] }
  }),
  defineScenario('packs.remove', 404, 'does not find a pack that was removed', async (context) => {
    const { owner, params } = await createPackOfTracks(context, 0)
    await owner.call('packs.remove', { params })
    return { as: owner, params }
  }),
]
