import { scenario } from '../contract-run/scenario.ts'
import { balanced, entry, publisher, sub } from './fixtures/split-sheets.ts'
import { anOwner, inVain, ofNewTrack } from './fixtures/tracks.ts'
import { refusedSheets, unbalancedSheets } from './fixtures/wrong-split-sheets.ts'

const label = 'tracks.split-sheet.replace'

const thirds = [entry('a', 33.33), entry('b', 33.33), entry('c', 33.33)]

const validSheets: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['writes a sheet', balanced],
  [
    'marks a sheet with both texts as complete',
    { ...balanced, address: '1 High St', intendedUse: 'Film\n\tTV' },
  ],
  ['marks a sheet with one text as incomplete', { ...balanced, address: '1 High St' }],
  ['stores texts unchanged', { ...balanced, address: '  x ', intendedUse: ' ' }],
  ['accepts an address of 500 emoji', { ...balanced, address: '\u{1F3B5}'.repeat(500) }],
  ['accepts a total of 99.99 percent', { master: thirds, writers: thirds }],
  ['accepts a total of 100.01 percent', { ...balanced, master: [entry('a', 50), entry('b', 50.01)] }],
  [
    'stores percentages with four decimals',
    { ...balanced, master: [entry('a', 33.333_349), entry('b', 66.666_66)] },
  ],
  ['accepts a share of 0 percent', { ...balanced, master: [entry('b', 0), entry('a', 100)] }],
  ['keeps the order', { ...balanced, writers: [entry('z', 20), entry('a', 50), entry('m', 30)] }],
  ['trims ids', { ...balanced, master: [entry(' another person ', 100)] }],
  ['accepts an id of 128 emoji', { ...balanced, master: [entry('\u{1F3B5}'.repeat(128), 100)] }],
  ['ignores unknown fields', { ...balanced, ownerId: 'acct_other', status: { isComplete: true } }],
  ['accepts empty publishers', { ...balanced, publishers: [] }],
  [
    'sets the defaults of a publisher',
    { ...balanced, publishers: [{ collaboratorId: 'p', percentage: 100 }] },
  ],
  [
    'accepts a publisher of a writer',
    { ...balanced, publishers: [publisher(60, { writerCollaboratorId: 'a' }), publisher(40)] },
  ],
  [
    'accepts a publisher in two territories',
    { ...balanced, publishers: [publisher(50, { territory: 'DE' }), publisher(50, { territory: 'FR' })] },
  ],
  [
    'stores all fields of a publisher',
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
    'counts a duplicate territory of a sub-publisher once',
    {
      ...balanced,
      publishers: [publisher(100, { subPublishers: [sub(60, { territories: ['DE', 'DE'] })] })],
    },
  ],
]

const reviewLinks = 'tracks.split-sheet.share-links.list'

export const trackSplitSheet = [
  scenario('tracks.split-sheet.detail', 200, 'returns an empty sheet for a new track', ofNewTrack({})),
  ...validSheets.map(([title, body]) => scenario(label, 200, title, ofNewTrack({ body }))),
  scenario(label, 200, 'replaces all fields', async (context) => {
    const { owner, params } = await anOwner(context)
    const body = { ...balanced, address: 'Old', intendedUse: 'Old', publishers: [publisher(100)] }
    await owner.call(label, { params, body })
    return { as: owner, params, body: { ...balanced, master: [entry('new', 100)] } }
  }),
  ...refusedSheets.map(([title, body]) => scenario(label, 400, `rejects ${title}`, inVain({ body }))),
  scenario(label, 400, 'rejects an empty body', inVain({ text: '' })),
  ...unbalancedSheets.map(([title, body]) => scenario(label, 422, `rejects ${title}`, ofNewTrack({ body }))),
  scenario(label, 422, 'keeps the existing sheet after an unbalanced one', async (context) => {
    const { owner, params } = await anOwner(context)
    await owner.call(label, { params, body: balanced })
    return { as: owner, params, body: { ...balanced, master: [entry('new', 99)] } }
  }),

  scenario(reviewLinks, 200, 'returns an empty list for a new track', ofNewTrack({})),
  scenario(reviewLinks, 200, 'lists no links that the core created', async (context) => {
    const { owner, params } = await anOwner(context)
    await owner.call(label, { params, body: balanced })
    await owner.call('tracks.split-sheet.share-links.create', { params, body: { name: 'For review' } })
    return { as: owner, params }
  }),
]
