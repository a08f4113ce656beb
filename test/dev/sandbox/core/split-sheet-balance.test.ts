import { describe, expect, it } from 'vitest'
import { findStructuralIssues } from '#dev/sandbox/core/split-sheet-balance.ts'
import { SplitSheet } from '#dev/sandbox/core/split-sheet-input.ts'

const shares = (...percentages: number[]) =>
  percentages.map((percentage, index) => ({ collaboratorId: `c${index}`, percentage }))

const findIssues = (change: object) =>
  findStructuralIssues(SplitSheet.parse({ master: shares(100), writers: shares(60, 40), ...change }))

const findCodes = (change: object) => findIssues(change).map(({ path, code }) => [path, code])

describe('findStructuralIssues', () => {
  it.each([[33.33, 33.33, 33.33], [50, 50.01], [99.99], [33.3333, 33.3333, 33.3334], [0, 100]])(
    'accepts the shares %d %d %d',
    (...percentages) => {
      expect(findIssues({ master: shares(...percentages.filter((share) => share !== undefined)) })).toEqual(
        [],
      )
    },
  )

  it.each([
    [[33.3, 33.3, 33.3], 99.9],
    [[50, 50.02], 100.02],
    [[99.9899], 99.9899],
    [[0], 0],
  ])('reports the total of the shares %j', (percentages, actual) => {
    for (const group of ['master', 'writers'])
      expect(findIssues({ [group]: shares(...percentages) })).toEqual([
        { path: group, code: `${group}_total_mismatch`, message: expect.any(String), expected: 100, actual },
      ])
  })

  it("requires publishers' shares to total 100 percent, if there are any", () => {
    expect(findIssues({ publishers: [] })).toEqual([])
    expect(findIssues({ publishers: shares(75, 25) })).toEqual([])
    expect(findCodes({ publishers: shares(75) })).toEqual([['publishers', 'publishers_total_mismatch']])
  })

  it("limits a writer's publishers to the writer's share, and reports an unknown writer", () => {
    const publisher = (writerCollaboratorId: string, percentage: number, collaboratorId = 'p') => ({
      collaboratorId,
      percentage,
      writerCollaboratorId,
    })
    expect(findIssues({ publishers: [publisher('c0', 60.01), publisher('c1', 39.99)] })).toEqual([])
    expect(
      findIssues({ publishers: [publisher('c0', 30), publisher('c0', 31, 'q'), publisher('c1', 39)] }),
    ).toEqual([
      {
        path: 'publishers.0.writerCollaboratorId',
        code: 'publisher_writer_exceeds_share',
        message: expect.any(String),
        expected: 60,
        actual: 61,
      },
    ])
    expect(findCodes({ publishers: [publisher('unknown', 100)] })).toEqual([
      ['publishers.0.writerCollaboratorId', 'publisher_writer_unknown'],
    ])
  })

  it('reports a duplicate collaborator in the master, the writers and the publishers', () => {
    const twice = [
      { collaboratorId: 'a', percentage: 50 },
      { collaboratorId: ' a ', percentage: 50 },
    ]
    expect(findCodes({ master: twice })).toEqual([['master.1.collaboratorId', 'duplicate_collaborator']])
    expect(findCodes({ writers: twice })).toEqual([['writers.1.collaboratorId', 'duplicate_collaborator']])
    expect(findCodes({ publishers: twice })).toEqual([
      ['publishers.1.collaboratorId', 'duplicate_collaborator'],
    ])
  })

  it('accepts the same publisher for a different writer or territory', () => {
    const share = { collaboratorId: 'p', percentage: 25 }
    expect(
      findIssues({
        publishers: [
          share,
          { ...share, territory: 'DE' },
          { ...share, writerCollaboratorId: 'c0' },
          { ...share, writerCollaboratorId: 'c1' },
        ],
      }),
    ).toEqual([])
  })

  it("limits a territory's sub-publishers to 100 percent", () => {
    const sub = (percentage: number, ...territories: string[]) => ({
      collaboratorId: 's',
      percentage,
      territories,
    })
    const publisher = (...subPublishers: object[]) => ({
      publishers: [{ collaboratorId: 'p', percentage: 100, subPublishers }],
    })
    expect(findIssues(publisher(sub(60, 'DE', 'DE'), sub(40.01, 'DE', 'AT'), sub(60, 'AT')))).toMatchObject(
      [],
    )
    expect(findIssues(publisher(sub(60, 'DE', 'AT'), sub(60, 'AT'), sub(60, 'FR')))).toMatchObject([
      {
        path: 'publishers.0.subPublishers',
        code: 'sub_publishers_exceed_parent',
        expected: 100,
        actual: 120,
      },
    ])
  })

  it('reports a right that is split twice in one territory', () => {
    const split = (right: string, territory?: string) => ({ right, percentage: 10, territory })
    const collectionSplits = [split('sync'), split('sync', 'DE'), split('print'), split('sync', 'WORLD')]
    const subPublishers = [{ collaboratorId: 's', percentage: 1, territories: ['FR'], collectionSplits }]
    expect(
      findCodes({
        publishers: [{ collaboratorId: 'p', percentage: 100, collectionSplits, subPublishers }],
      }),
    ).toEqual([
      ['publishers.0.collectionSplits.3', 'duplicate_collection_split'],
      ['publishers.0.subPublishers.0.collectionSplits.3', 'duplicate_collection_split'],
    ])
  })

  it('returns the issues of all groups', () => {
    const sheet = { master: shares(1), writers: shares(2), publishers: shares(3) }
    expect(findCodes(sheet).map(([path]) => path)).toEqual(['master', 'writers', 'publishers'])
  })
})
