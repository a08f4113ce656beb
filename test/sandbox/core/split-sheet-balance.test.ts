import { describe, expect, it } from 'vitest'
import { findImbalances } from '#sandbox/core/split-sheet-balance.ts'
import { SplitSheet } from '#sandbox/core/split-sheet-input.ts'

const shares = (...percentages: number[]) =>
  percentages.map((percentage, place) => ({ collaboratorId: `c${place}`, percentage }))

const issuesOf = (change: object) =>
  findImbalances(SplitSheet.parse({ master: shares(100), writers: shares(60, 40), ...change }))

const found = (change: object) => issuesOf(change).map(({ path, code }) => [path, code])

describe('a split sheet', () => {
  it.each([[33.33, 33.33, 33.33], [50, 50.01], [99.99], [33.3333, 33.3333, 33.3334], [0, 100]])(
    'balances with shares of %d %d %d',
    (...percentages) => {
      expect(issuesOf({ master: shares(...percentages.filter((share) => share !== undefined)) })).toEqual([])
    },
  )

  it.each([
    [[33.3, 33.3, 33.3], 99.9],
    [[50, 50.02], 100.02],
    [[99.9899], 99.9899],
    [[0], 0],
  ])('does not balance with shares of %j', (percentages, actual) => {
    for (const side of ['master', 'writers'])
      expect(issuesOf({ [side]: shares(...percentages) })).toEqual([
        { path: side, code: `${side}_total_mismatch`, message: expect.any(String), expected: 100, actual },
      ])
  })

  it('needs no publishers, and with any they have 100 together', () => {
    expect(issuesOf({ publishers: [] })).toEqual([])
    expect(issuesOf({ publishers: shares(75, 25) })).toEqual([])
    expect(found({ publishers: shares(75) })).toEqual([['publishers', 'publishers_total_mismatch']])
  })

  it('lets publishers of a writer have what the writer has', () => {
    const of = (writerCollaboratorId: string, percentage: number, collaboratorId = 'p') => ({
      collaboratorId,
      percentage,
      writerCollaboratorId,
    })
    expect(issuesOf({ publishers: [of('c0', 60.01), of('c1', 39.99)] })).toEqual([])
    expect(issuesOf({ publishers: [of('c0', 30), of('c0', 31, 'q'), of('c1', 39)] })).toEqual([
      {
        path: 'publishers.0.writerCollaboratorId',
        code: 'publisher_writer_exceeds_share',
        message: expect.any(String),
        expected: 60,
        actual: 61,
      },
    ])
    expect(found({ publishers: [of('nobody', 100)] })).toEqual([
      ['publishers.0.writerCollaboratorId', 'publisher_writer_unknown'],
    ])
  })

  it('names nobody twice on one side', () => {
    const twice = [
      { collaboratorId: 'a', percentage: 50 },
      { collaboratorId: ' a ', percentage: 50 },
    ]
    expect(found({ master: twice })).toEqual([['master.1.collaboratorId', 'duplicate_collaborator']])
    expect(found({ writers: twice })).toEqual([['writers.1.collaboratorId', 'duplicate_collaborator']])
    expect(found({ publishers: twice })).toEqual([['publishers.1.collaboratorId', 'duplicate_collaborator']])
  })

  it('may name a publisher again for another writer or another territory', () => {
    const share = { collaboratorId: 'p', percentage: 25 }
    expect(
      issuesOf({
        publishers: [
          share,
          { ...share, territory: 'DE' },
          { ...share, writerCollaboratorId: 'c0' },
          { ...share, writerCollaboratorId: 'c1' },
        ],
      }),
    ).toEqual([])
  })

  it('gives sub-publishers no more than there is, in each territory', () => {
    const sub = (percentage: number, ...territories: string[]) => ({
      collaboratorId: 's',
      percentage,
      territories,
    })
    const publisher = (...subPublishers: object[]) => ({
      publishers: [{ collaboratorId: 'p', percentage: 100, subPublishers }],
    })
    expect(issuesOf(publisher(sub(60, 'DE', 'DE'), sub(40.01, 'DE', 'AT'), sub(60, 'AT')))).toMatchObject([])
    expect(issuesOf(publisher(sub(60, 'DE', 'AT'), sub(60, 'AT'), sub(60, 'FR')))).toMatchObject([
      {
        path: 'publishers.0.subPublishers',
        code: 'sub_publishers_exceed_parent',
        expected: 100,
        actual: 120,
      },
    ])
  })

  it('splits a right once in a territory', () => {
    const split = (right: string, territory?: string) => ({ right, percentage: 10, territory })
    const collectionSplits = [split('sync'), split('sync', 'DE'), split('print'), split('sync', 'WORLD')]
    const subPublishers = [{ collaboratorId: 's', percentage: 1, territories: ['FR'], collectionSplits }]
    expect(
      found({
        publishers: [{ collaboratorId: 'p', percentage: 100, collectionSplits, subPublishers }],
      }),
    ).toEqual([
      ['publishers.0.collectionSplits.3', 'duplicate_collection_split'],
      ['publishers.0.subPublishers.0.collectionSplits.3', 'duplicate_collection_split'],
    ])
  })

  it('names everything that is wrong at once', () => {
    const sheet = { master: shares(1), writers: shares(2), publishers: shares(3) }
    expect(found(sheet).map(([path]) => path)).toEqual(['master', 'writers', 'publishers'])
  })
})
