import { defineScenario } from '#migration/parity/run/scenario.ts'
import { invalidSheets, unbalancedSheets } from './fixtures/invalid-split-sheets.ts'
import {
  balancedSheet,
  createEntry,
  createPublisher,
  createSubPublisher,
  detailedSheet,
} from './fixtures/split-sheets.ts'
import { createOwnedTrack, withNewTrack, withSpareTrack } from './fixtures/tracks.ts'

const replaceLabel = 'tracks.split-sheet.replace'

const sharesOf9999 = [createEntry('a', 33.33), createEntry('b', 33.33), createEntry('c', 33.33)]

const validSheets: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['writes a sheet', balancedSheet],
  [
    'is complete with an address and an intended use',
    { ...balancedSheet, address: '1 High St', intendedUse: 'Film\n\tTV' },
  ],
  ['is incomplete without an intended use', { ...balancedSheet, address: '1 High St' }],
  ['is incomplete without an address', { ...balancedSheet, intendedUse: 'Film' }],
  ['is complete with an address of spaces', { ...balancedSheet, address: ' ', intendedUse: 'a'.repeat(500) }],
  ['stores texts unchanged', { ...balancedSheet, address: '  x ', intendedUse: ' ' }],
  ['accepts an address of 500 emoji', { ...balancedSheet, address: '\u{1F3B5}'.repeat(500) }],
  ['accepts an intended use of 500 emoji', { ...balancedSheet, intendedUse: '\u{1F3B5}'.repeat(500) }],
  [
    'stores letters as they are composed',
    { ...balancedSheet, address: 'Cafe\u0301 \ufb01', master: [createEntry('Ame\u0301lie', 100)] },
  ],
  [
    'distinguishes ids by their case and composition',
    {
      master: [createEntry('a', 50), createEntry('A', 50)],
      writers: [createEntry('\u00e9', 50), createEntry('e\u0301', 50)],
    },
  ],
  [
    'trims the writer of a publisher',
    {
      ...balancedSheet,
      publishers: [createPublisher(60, { writerCollaboratorId: ' a ' }), createPublisher(40)],
    },
  ],
  ['accepts a total of 99.99 percent', { master: sharesOf9999, writers: sharesOf9999 }],
  [
    'accepts a total of 99.99 percent whose binary fractions add up to less',
    {
      ...balancedSheet,
      master: [createEntry('a', 32.16), createEntry('b', 33.41), createEntry('c', 34.42)],
    },
  ],
  [
    'accepts a total of 100.01 percent',
    { ...balancedSheet, master: [createEntry('a', 50), createEntry('b', 50.01)] },
  ],
  [
    'accepts a publisher whose share exceeds that of its writer by 0.01 percent',
    {
      ...balancedSheet,
      publishers: [createPublisher(60.01, { writerCollaboratorId: 'a' }), createPublisher(39.99)],
    },
  ],
  [
    'accepts a publisher of two writers',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(60, { writerCollaboratorId: 'a' }),
        createPublisher(40, { writerCollaboratorId: 'b' }),
      ],
    },
  ],
  [
    'accepts sub-publishers with a total of 100.01 percent',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(100, { subPublishers: [createSubPublisher(60), createSubPublisher(40.01)] }),
      ],
    },
  ],
  [
    'adds up the shares of sub-publishers in each territory',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(100, {
          subPublishers: [
            createSubPublisher(60, { territories: ['DE'] }),
            createSubPublisher(60, { territories: ['FR'] }),
          ],
        }),
      ],
    },
  ],
  [
    'adds up the shares of sub-publishers for the world separately',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(100, {
          subPublishers: [
            createSubPublisher(60, { territories: ['WORLD'] }),
            createSubPublisher(60, { territories: ['DE'] }),
          ],
        }),
      ],
    },
  ],
  [
    'accepts publishers with a total of 99.99 percent',
    { ...balancedSheet, publishers: [createPublisher(99.99)] },
  ],
  [
    'stores percentages with four decimals',
    { ...balancedSheet, master: [createEntry('a', 33.333_349), createEntry('b', 66.666_66)] },
  ],
  [
    'stores the percentages of publishers with four decimals',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(33.333_349, {
          subPublishers: [
            createSubPublisher(66.666_66, { collectionSplits: [{ right: 'sync', percentage: 12.345_678 }] }),
          ],
          collectionSplits: [{ right: 'sync', percentage: 87.654_321 }],
        }),
        createPublisher(66.666_66, { collaboratorId: 'q' }),
      ],
    },
  ],
  [
    'accepts a share of 0 percent',
    { ...balancedSheet, master: [createEntry('b', 0), createEntry('a', 100)] },
  ],
  [
    'stores writers in the given order',
    { ...balancedSheet, writers: [createEntry('z', 20), createEntry('a', 50), createEntry('m', 30)] },
  ],
  [
    'accepts collaborator ids that differ only in case',
    { ...balancedSheet, master: [createEntry('Anna', 50), createEntry('anna', 50)] },
  ],
  ['trims collaborator ids', { ...balancedSheet, master: [createEntry(' another person ', 100)] }],
  ['accepts an id of 128 emoji', { ...balancedSheet, master: [createEntry('\u{1F3B5}'.repeat(128), 100)] }],
  ['ignores unknown fields', { ...balancedSheet, ownerId: 'acct_other', status: { isComplete: true } }],
  ['accepts an empty list of publishers', { ...balancedSheet, publishers: [] }],
  [
    'sets the defaults of a publisher',
    { ...balancedSheet, publishers: [{ collaboratorId: 'p', percentage: 100 }] },
  ],
  [
    'accepts a publisher that is assigned to a writer',
    {
      ...balancedSheet,
      publishers: [createPublisher(60, { writerCollaboratorId: 'a' }), createPublisher(40)],
    },
  ],
  [
    'accepts a publisher in two territories',
    {
      ...balancedSheet,
      publishers: [createPublisher(50, { territory: 'DE' }), createPublisher(50, { territory: 'FR' })],
    },
  ],
  [
    'stores all fields of a publisher',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(40),
        createPublisher(60, {
          writerCollaboratorId: 'a',
          role: 'administrator',
          territory: 'US',
          subPublishers: [
            createSubPublisher(60, {
              territories: ['DE', 'FR'],
              collectionSplits: [{ right: 'print', percentage: 5 }],
            }),
            createSubPublisher(40, { collaboratorId: 't', territories: ['DE', 'WORLD'] }),
          ],
          collectionSplits: [
            { right: 'mechanical', percentage: 10, territory: 'DE' },
            { right: 'mechanical', percentage: 12.5 },
          ],
        }),
      ],
    },
  ],
  ['stores every role and right', detailedSheet],
  [
    'counts a duplicate territory of a sub-publisher once',
    {
      ...balancedSheet,
      publishers: [
        createPublisher(100, { subPublishers: [createSubPublisher(60, { territories: ['DE', 'DE'] })] }),
      ],
    },
  ],
]

const listShareLinksLabel = 'tracks.split-sheet.share-links.list'

export const trackSplitSheet = [
  defineScenario(
    'tracks.split-sheet.detail',
    200,
    'returns an empty sheet for a new track',
    withNewTrack({}),
  ),
  ...validSheets.map(([title, body]) => defineScenario(replaceLabel, 200, title, withNewTrack({ body }))),
  defineScenario(replaceLabel, 200, 'replaces all fields', async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    const body = {
      master: [createEntry('old', 100)],
      writers: [createEntry('old', 100)],
      address: 'Old',
      intendedUse: 'Old',
      publishers: [createPublisher(100)],
    }
    await owner.call(replaceLabel, { params, body })
    return { as: owner, params, body: { ...balancedSheet, master: [createEntry('new', 100)] } }
  }),
  ...invalidSheets.map(([title, body]) =>
    defineScenario(replaceLabel, 400, `rejects ${title}`, withSpareTrack({ body })),
  ),
  defineScenario(replaceLabel, 400, 'rejects an empty body', withSpareTrack({ text: '' })),
  ...unbalancedSheets.map(([title, body]) =>
    defineScenario(replaceLabel, 422, `rejects ${title}`, withNewTrack({ body })),
  ),
  defineScenario(
    replaceLabel,
    422,
    'rejects an unbalanced sheet for a track that has a sheet',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await owner.call(replaceLabel, { params, body: balancedSheet })
      return { as: owner, params, body: { ...balancedSheet, master: [createEntry('new', 99)] } }
    },
  ),

  defineScenario(listShareLinksLabel, 200, 'returns an empty list for a new track', withNewTrack({})),
  defineScenario(
    listShareLinksLabel,
    200,
    'lists created links from the core and none from native (an accepted difference)',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await owner.call(replaceLabel, { params, body: balancedSheet })
      await owner.call('tracks.split-sheet.share-links.create', { params, body: { name: 'For review' } })
      return { as: owner, params }
    },
  ),
]
