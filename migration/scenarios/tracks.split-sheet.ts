import { scenario } from '../contract-run/scenario.ts'
import { balanced, entry, publisher, sub } from './fixtures/split-sheets.ts'
import { anOwner, inVain, ofNewTrack } from './fixtures/tracks.ts'
import { refusedSheets, unbalancedSheets } from './fixtures/wrong-split-sheets.ts'

const label = 'tracks.split-sheet.replace'

const thirds = [entry('a', 33.33), entry('b', 33.33), entry('c', 33.33)]

const written: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['writes a sheet', balanced],
  [
    'calls a sheet with both texts complete',
    { ...balanced, address: '1 High St', intendedUse: 'Film\n\tTV' },
  ],
  ['calls a sheet with one text incomplete', { ...balanced, address: '1 High St' }],
  ['keeps texts as they were sent', { ...balanced, address: '  x ', intendedUse: ' ' }],
  ['takes 500 characters as people count them', { ...balanced, address: '\u{1F3B5}'.repeat(500) }],
  ['takes thirds that lack a hundredth', { master: thirds, writers: thirds }],
  ['takes a hundredth too much', { ...balanced, master: [entry('a', 50), entry('b', 50.01)] }],
  ['keeps four decimals', { ...balanced, master: [entry('a', 33.333_349), entry('b', 66.666_66)] }],
  ['takes shares of nothing', { ...balanced, master: [entry('b', 0), entry('a', 100)] }],
  ['keeps the order', { ...balanced, writers: [entry('z', 20), entry('a', 50), entry('m', 30)] }],
  ['keeps ids trimmed', { ...balanced, master: [entry(' somebody else ', 100)] }],
  ['takes an id of 128 characters', { ...balanced, master: [entry('\u{1F3B5}'.repeat(128), 100)] }],
  ['ignores fields it does not know', { ...balanced, ownerId: 'acct_other', status: { isComplete: true } }],
  ['takes no publishers', { ...balanced, publishers: [] }],
  [
    'fills in what a publisher leaves out',
    { ...balanced, publishers: [{ collaboratorId: 'p', percentage: 100 }] },
  ],
  [
    'takes a publisher of a writer',
    { ...balanced, publishers: [publisher(60, { writerCollaboratorId: 'a' }), publisher(40)] },
  ],
  [
    'takes one publisher twice in two territories',
    { ...balanced, publishers: [publisher(50, { territory: 'DE' }), publisher(50, { territory: 'FR' })] },
  ],
  [
    'keeps all of a publisher',
    {
      ...balanced,
      publishers: [
        publisher(40),
        publisher(60, {
          writerCollaboratorId: 'a',
          role: 'administrator',
          territory: 'US',
          subPublishers: [
            sub(60, { territories: ['DE', 'FR'], collectionSplits: [{ right: 'print', percentage: 5 }] }),
            sub(40, { collaboratorId: 't', territories: ['DE', 'WORLD'] }),
          ],
          collectionSplits: [
            { right: 'mechanical', percentage: 10, territory: 'DE' },
            { right: 'mechanical', percentage: 12.5 },
          ],
        }),
      ],
    },
  ],
  [
    'counts a territory that a sub-publisher names twice once',
    {
      ...balanced,
      publishers: [publisher(100, { subPublishers: [sub(60, { territories: ['DE', 'DE'] })] })],
    },
  ],
]

const reviewLinks = 'tracks.split-sheet.share-links.list'

export const trackSplitSheet = [
  scenario('tracks.split-sheet.detail', 200, 'shows that there is none', ofNewTrack({})),
  ...written.map(([title, body]) => scenario(label, 200, title, ofNewTrack({ body }))),
  scenario(label, 200, 'replaces all of it', async (world) => {
    const { owner, params } = await anOwner(world)
    const body = { ...balanced, address: 'Old', intendedUse: 'Old', publishers: [publisher(100)] }
    await owner.call(label, { params, body })
    return { as: owner, params, body: { ...balanced, master: [entry('new', 100)] } }
  }),
  ...refusedSheets.map(([what, body]) => scenario(label, 400, `refuses ${what}`, inVain({ body }))),
  scenario(label, 400, 'refuses an empty body', inVain({ text: '' })),
  ...unbalancedSheets.map(([what, body]) => scenario(label, 422, `refuses ${what}`, ofNewTrack({ body }))),
  scenario(label, 422, 'leaves the sheet that is there', async (world) => {
    const { owner, params } = await anOwner(world)
    await owner.call(label, { params, body: balanced })
    return { as: owner, params, body: { ...balanced, master: [entry('new', 99)] } }
  }),

  scenario(reviewLinks, 200, 'lists nothing', ofNewTrack({})),
  scenario(reviewLinks, 200, 'lists nothing natively that the core has made', async (world) => {
    const { owner, params } = await anOwner(world)
    await owner.call(label, { params, body: balanced })
    await owner.call('tracks.split-sheet.share-links.create', { params, body: { name: 'For review' } })
    return { as: owner, params }
  }),
]
