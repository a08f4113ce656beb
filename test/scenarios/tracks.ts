import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import { memoizePerSide } from '#migration/parity/run/scenario-context.ts'
import { createPng, createWav } from './fixtures/files.ts'
import { createLibrary, createPack, createTrack } from './fixtures/libraries.ts'
import { createLinkToPack } from './fixtures/pack-links.ts'
import { createPackOfTracks } from './fixtures/packs.ts'
import { createShareLink, readShareLink } from './fixtures/share-links.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  getFullTrack,
  uploadFile,
  uploadWithoutFinalizing,
  withSharedTrack,
} from './fixtures/tracks.ts'

const required = { title: 'Low Tide', artist: 'The Owls' }

const createTracks = async (owner: Account) => {
  for (const title of ['First', 'Second', 'Third']) await createTrack(owner, title)
}

const readFirstPage = async (owner: Account, limit: string) => {
  const { nextCursor } = await owner.call('tracks.list', { query: { limit } })
  return { limit, cursor: nextCursor ?? '' }
}

/** A shared account. Scenarios must not change it. */
const getOwnerOf51Tracks = memoizePerSide(async ({ account }) => {
  const owner = await account()
  for (let index = 0; index < 51; index++) await createTrack(owner, `Track ${index}`)
  return owner
})

const invalidQueries: readonly (readonly [fault: string, query: Readonly<Record<string, string>>])[] = [
  ['a limit of 0', { limit: '0' }],
  ['a limit of 201', { limit: '201' }],
  ['a limit that is not a number', { limit: 'all' }],
  ['a fraction as the limit', { limit: '1.5' }],
  ['an empty limit', { limit: '' }],
  ['an empty cursor', { cursor: '' }],
  ['a malformed cursor', { cursor: 'x' }],
  ['the cursor of another list', { cursor: btoa('2026-01-01T00:00:00.000Z abc') }],
  ['a cursor without an id', { cursor: btoa('1767225600000') }],
  ['a cursor with a malformed id', { cursor: btoa('1767225600000 a.b') }],
]

export const tracks = [
  defineScenario('tracks.list', 200, 'returns an empty list', async ({ account }) => ({
    as: await account(),
  })),
  defineScenario('tracks.list', 200, 'lists the newest track first', async ({ account }) => {
    const owner = await account()
    await createTracks(owner)
    return { as: owner }
  }),
  ...[{}, { limit: '2' }].map((query) =>
    defineScenario(
      'tracks.list',
      200,
      `lists the track that was changed last at its place with ${JSON.stringify(query)}`,
      async ({ account }) => {
        const owner = await account()
        await createTracks(owner)
        const { records } = await owner.call('tracks.list')
        const params = { trackId: records[1]?.id ?? '' }
        await owner.call('tracks.metadata.update', { params, body: { artist: 'The Owls' } })
        return { as: owner, query }
      },
    ),
  ),
  defineScenario('tracks.list', 200, 'returns the first page with a cursor', async ({ account }) => {
    const owner = await account()
    await createTracks(owner)
    return { as: owner, query: { limit: '2' } }
  }),
  defineScenario('tracks.list', 200, 'returns the page after a cursor', async ({ account }) => {
    const owner = await account()
    await createTracks(owner)
    return { as: owner, query: await readFirstPage(owner, '1') }
  }),
  defineScenario('tracks.list', 200, 'returns the last page', async ({ account }) => {
    const owner = await account()
    await createTracks(owner)
    return { as: owner, query: await readFirstPage(owner, '2') }
  }),
  ...[{}, { limit: '50' }, { limit: '51' }, { limit: '200' }].map((query) =>
    defineScenario('tracks.list', 200, `pages 51 tracks with ${JSON.stringify(query)}`, async (context) => ({
      as: await getOwnerOf51Tracks(context),
      query,
    })),
  ),
  defineScenario(
    'tracks.list',
    200,
    'returns what remains after a page of the default size',
    async (context) => {
      const owner = await getOwnerOf51Tracks(context)
      const { nextCursor } = await owner.call('tracks.list')
      return { as: owner, query: { cursor: nextCursor ?? '' } }
    },
  ),
  defineScenario('tracks.list', 200, 'returns the second of three pages', async (context) => {
    const owner = await getOwnerOf51Tracks(context)
    return { as: owner, query: await readFirstPage(owner, '20') }
  }),
  defineScenario('tracks.list', 200, 'continues after a track that was removed', async ({ account }) => {
    const owner = await account()
    await createTracks(owner)
    const last = await createTrack(owner, 'Removed')
    const query = await readFirstPage(owner, '1')
    await owner.call('tracks.remove', { params: { trackId: last.id } })
    return { as: owner, query }
  }),
  defineScenario('tracks.list', 200, 'lists no tracks of another account', async ({ account }) => {
    await createTrack(await account())
    return { as: await account() }
  }),
  defineScenario('tracks.list', 200, 'uses the first of several limits', async ({ account }) => {
    const owner = await account()
    await createTracks(owner)
    return {
      as: owner,
      query: [
        ['limit', '1'],
        ['limit', '2'],
      ],
    }
  }),
  ...invalidQueries.map(([fault, query]) =>
    defineScenario('tracks.list', 400, `rejects ${fault}`, async ({ account }) => ({
      as: await account(),
      query,
    })),
  ),

  ...(
    [
      ['creates a track with the required fields', required],
      ['trims texts', { title: '  Low Tide\u3000', artist: ' The Owls ' }],
      [
        'accepts every field',
        { ...required, isrc: 'USS1Z9900001', iswc: 'T0345246801', releaseDate: '2024-02-29' },
      ],
      ['keeps the separators of codes', { ...required, isrc: ' us-s1z-99-00001 ', iswc: 't-034.524.680-1' }],
      ['accepts a labelled ISRC', { ...required, isrc: 'ISRC GB AYE 68 00023' }],
      ['accepts null for optional fields', { ...required, isrc: null, iswc: null, releaseDate: null }],
      ['accepts 300 characters', { ...required, title: '\u{1F3B5}'.repeat(300) }],
      ['ignores unknown fields', { ...required, id: 'mine', ownerId: 'acct_other', durationMs: 1 }],
    ] as const
  ).map(([title, body]) =>
    defineScenario('tracks.create', 201, title, async ({ account }) => ({ as: await account(), body })),
  ),
  ...[
    ['a missing title', { artist: 'The Owls' }],
    ['a missing artist', { title: 'Low Tide' }],
    ['an empty title', { ...required, title: ' \u3000 ' }],
    ['null as the artist', { ...required, artist: null }],
    ['a number as the title', { ...required, title: 7 }],
    ['a title of 301 characters', { ...required, title: 'x'.repeat(301) }],
    ['a line feed', { ...required, title: 'Low\nTide' }],
    ['a lone surrogate', { ...required, title: 'Low \ud83c' }],
    ['a malformed ISRC', { ...required, isrc: 'US-S1Z-99' }],
    ['an empty ISRC', { ...required, isrc: '' }],
    ['a malformed ISWC', { ...required, iswc: 'T-1' }],
    ['a date that does not exist', { ...required, releaseDate: '2023-02-29' }],
    ['a date with a time', { ...required, releaseDate: '2024-02-29T00:00:00Z' }],
    ['every field as invalid', { title: '', artist: 7, isrc: 'x', iswc: 'x', releaseDate: 'x' }],
  ].map(([fault, body]) =>
    defineScenario('tracks.create', 400, `rejects ${fault}`, async ({ account }) => ({
      as: await account(),
      body,
    })),
  ),

  defineScenario('tracks.detail', 200, 'returns a track without audio', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    return { as: owner, params }
  }),
  defineScenario('tracks.detail', 200, 'returns every field that was written', async ({ account }) => {
    const owner = await account()
    const body = { ...required, isrc: 'US-S1Z-99-00001', iswc: 'T-034.524.680-1', releaseDate: '2024-02-29' }
    const { id: trackId } = await owner.call('tracks.create', { body })
    return { as: owner, params: { trackId } }
  }),
  defineScenario('tracks.detail', 200, 'returns a processed track', withSharedTrack(getFullTrack)),
  defineScenario('tracks.detail', 404, 'does not find a track that was removed', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await owner.call('tracks.remove', { params })
    return { as: owner, params }
  }),

  defineScenario('tracks.remove', 204, 'removes a track', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await createTrack(owner, 'Another')
    return { as: owner, params }
  }),
  defineScenario('tracks.remove', 204, 'removes a track with files, uploads and links', async (context) => {
    const track = await createProcessedTrack(context, createWav())
    const { owner, params } = track
    await uploadFile(track, 'tracks.artwork.upload', createPng())
    await uploadWithoutFinalizing(track, 'tracks.versions.upload', createWav())
    await owner.call('tracks.lyrics.replace', { params, body: { text: 'Low tide' } })
    return { as: owner, params }
  }),
  ...[0, 1, 2].map((index) =>
    defineScenario('tracks.remove', 204, `removes track ${index} of a pack of three`, async (context) => {
      const { owner, reads, params, trackIds } = await createPackOfTracks(context, 3)
      return {
        as: owner,
        params: { trackId: trackIds[index] ?? '' },
        reads: [...reads, { label: 'packs.detail', as: owner, params }],
      }
    }),
  ),
  defineScenario(
    'tracks.remove',
    204,
    'removes a track that is in two packs and a library',
    async (context) => {
      const { owner, reads, trackIds } = await createPackOfTracks(context, 2)
      const [trackId = '', remaining = ''] = trackIds
      const { id: packId } = await createPack(owner, 'Another')
      for (const id of [trackId, remaining])
        await owner.call('packs.tracks.add', { params: { packId }, body: { trackId: id } })
      const { slug } = await createLinkToPack(context, owner, packId, { slug: context.unique('another') })
      const library = { libraryId: (await createLibrary(owner)).id }
      await owner.call('libraries.tracks.add', { params: library, body: { trackId } })
      return {
        as: owner,
        params: { trackId },
        reads: [
          ...reads,
          { label: 'public.pack-links.detail', params: { slug } },
          { label: 'libraries.detail', as: owner, params: library },
        ],
      }
    },
  ),
  defineScenario('tracks.remove', 204, 'removes a track with a link', async (context) => {
    const owner = await context.account({ plan: 'pro' })
    const { id: trackId } = await createTrack(owner)
    const { token } = await createShareLink(owner, trackId)
    return { as: owner, params: { trackId }, reads: [readShareLink(token)] }
  }),
  defineScenario('tracks.remove', 404, 'does not find a track that was removed', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await owner.call('tracks.remove', { params })
    return { as: owner, params }
  }),
]
