import { describe, expect, it } from 'vitest'
import { replace } from '#contracts/tracks.split-sheet.ts'
import { issuePaths } from './inputs.ts'

const ann = { collaboratorId: 'ann', percentage: 100 }
const sheet = { master: [ann], writers: [ann] }

describe('SplitSheetInput', () => {
  it('fills absent optional fields with defaults', () => {
    const publishers = [
      {
        ...ann,
        subPublishers: [
          {
            collaboratorId: 'sub',
            percentage: 50,
            territories: ['DE'],
            collectionSplits: [{ right: 'sync', percentage: 1 }],
          },
        ],
      },
    ]
    expect(replace.body.parse({ ...sheet, publishers })).toEqual({
      address: '',
      intendedUse: '',
      ...sheet,
      publishers: [
        {
          ...ann,
          writerCollaboratorId: null,
          role: 'original_publisher',
          territory: 'WORLD',
          collectionSplits: [],
          subPublishers: [
            {
              collaboratorId: 'sub',
              percentage: 50,
              territories: ['DE'],
              collectionSplits: [{ right: 'sync', percentage: 1, territory: 'WORLD' }],
            },
          ],
        },
      ],
    })
  })

  it('rounds percentages to four decimals and preserves the order', () => {
    const writers = [
      { collaboratorId: 'zoe', percentage: 33.333349 },
      { collaboratorId: 'ann', percentage: 66.66666 },
    ]
    expect(replace.body.parse({ ...sheet, writers }).writers).toEqual([
      { collaboratorId: 'zoe', percentage: 33.3333 },
      { collaboratorId: 'ann', percentage: 66.6667 },
    ])
  })

  it.each([
    ['master', { master: [], writers: [ann] }],
    ['writers', { master: [ann] }],
    ['master.0.percentage', { ...sheet, master: [{ ...ann, percentage: 100.1 }] }],
    ['master.0.percentage', { ...sheet, master: [{ ...ann, percentage: '100' }] }],
    ['writers.0.percentage', { ...sheet, writers: [{ ...ann, percentage: -1 }] }],
    ['writers.0.collaboratorId', { ...sheet, writers: [{ ...ann, collaboratorId: ' ' }] }],
    ['address', { ...sheet, address: 'x'.repeat(501) }],
    ['intendedUse', { ...sheet, intendedUse: null }],
    ['publishers.0.role', { ...sheet, publishers: [{ ...ann, role: 'boss' }] }],
    ['publishers.0.territory', { ...sheet, publishers: [{ ...ann, territory: 'de' }] }],
    ['publishers.0.territory', { ...sheet, publishers: [{ ...ann, territory: 'ZZ' }] }],
    [
      'publishers.0.subPublishers.0.territories',
      { ...sheet, publishers: [{ ...ann, subPublishers: [{ ...ann, territories: [] }] }] },
    ],
    [
      'publishers.0.collectionSplits.0.right',
      { ...sheet, publishers: [{ ...ann, collectionSplits: [{ right: 'air', percentage: 1 }] }] },
    ],
  ])('reports one issue at %s', (path, body) => {
    expect(issuePaths(replace.body, body)).toEqual([path])
  })
})
