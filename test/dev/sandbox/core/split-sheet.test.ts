import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const createTrack = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  return { alice, trackId, sheet: `/v1/tracks/${trackId}/split-sheet` }
}

const whole = [{ collaboratorId: 'ana', percentage: 100 }]
const unknown = { name: null, pro: null, ipi: null }

describe('tracks.split-sheet.detail', () => {
  it('returns an empty, incomplete sheet for a track that has none', async () => {
    const { alice, trackId, sheet } = await createTrack()
    const { status, body } = await alice.get(sheet)
    expect([status, body]).toEqual([
      200,
      {
        trackId,
        address: '',
        intendedUse: '',
        master: [],
        writers: [],
        publishers: [],
        status: { isComplete: false, validationErrors: [], validatedAt: null },
        createdAt: null,
        updatedAt: null,
      },
    ])
  })
})

describe('tracks.split-sheet.replace', () => {
  it('keeps the order, sets defaults and rounds to four decimal places', async () => {
    const { alice, trackId, sheet } = await createTrack()
    const { status, body } = await alice.put(sheet, {
      address: '1 Quay',
      intendedUse: 'film\nand stage',
      master: [
        { collaboratorId: 'zoe', percentage: 66.66666, ownerId: 'x' },
        { collaboratorId: 'ana', percentage: 33.33333 },
      ],
      writers: whole,
      publishers: [
        {
          collaboratorId: 'pub',
          percentage: 100,
          writerCollaboratorId: 'ana',
          subPublishers: [{ collaboratorId: 'sub', percentage: 50, territories: ['DE', 'AT'] }],
          collectionSplits: [{ right: 'sync', percentage: 25 }],
        },
      ],
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      trackId,
      address: '1 Quay',
      intendedUse: 'film\nand stage',
      master: [
        { collaboratorId: 'zoe', percentage: 66.6667, role: null, ...unknown },
        { collaboratorId: 'ana', percentage: 33.3333, role: null, ...unknown },
      ],
      writers: [{ collaboratorId: 'ana', percentage: 100, role: null, ...unknown }],
      publishers: [
        {
          collaboratorId: 'pub',
          percentage: 100,
          writerCollaboratorId: 'ana',
          role: 'original_publisher',
          territory: 'WORLD',
          ...unknown,
          subPublishers: [
            {
              collaboratorId: 'sub',
              percentage: 50,
              territories: ['DE', 'AT'],
              collectionSplits: [],
              ...unknown,
            },
          ],
          collectionSplits: [{ right: 'sync', percentage: 25, territory: 'WORLD' }],
        },
      ],
      status: { isComplete: true, validationErrors: [], validatedAt: expect.stringMatching(timestamp) },
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
    expect((await alice.get(sheet)).body).toEqual(body)
  })

  it('replaces the whole sheet and keeps createdAt', async () => {
    const { alice, sheet } = await createTrack()
    const first = await alice.put(sheet, {
      address: 'a',
      intendedUse: 'b',
      master: whole,
      writers: whole,
      publishers: whole,
    })
    const { body } = await alice.put(sheet, { master: whole, writers: whole })
    expect(body).toMatchObject({
      address: '',
      intendedUse: '',
      publishers: [],
      createdAt: first.body.createdAt,
    })
    expect(body.status.isComplete).toBe(false)
  })

  it('returns 422 with all structural issues and stores nothing', async () => {
    const { alice, sheet } = await createTrack()
    const { body: stored } = await alice.put(sheet, { master: whole, writers: whole })
    const { status, body } = await alice.put(sheet, {
      master: [{ collaboratorId: 'ana', percentage: 99.9 }],
      writers: [...whole, ...whole],
    })
    expect(status).toBe(422)
    expect(body).toEqual({
      error: 'split_sheet_structural_validation_failed',
      issues: [
        {
          path: 'master',
          code: 'master_total_mismatch',
          message: expect.any(String),
          expected: 100,
          actual: 99.9,
        },
        {
          path: 'writers',
          code: 'writers_total_mismatch',
          message: expect.any(String),
          expected: 100,
          actual: 200,
        },
        { path: 'writers.1.collaboratorId', code: 'duplicate_collaborator', message: expect.any(String) },
      ],
    })
    expect((await alice.get(sheet)).body).toEqual(stored)
  })

  it.each([
    ['no master', { master: undefined }, 'master'],
    ['an empty master', { master: [] }, 'master'],
    ['no writers', { writers: [] }, 'writers'],
    ['more than 100', { master: [{ collaboratorId: 'a', percentage: 100.1 }] }, 'master.0.percentage'],
    ['less than 0', { master: [{ collaboratorId: 'a', percentage: -1 }] }, 'master.0.percentage'],
    ['a text for a number', { master: [{ collaboratorId: 'a', percentage: '100' }] }, 'master.0.percentage'],
    [
      'a blank collaborator',
      { master: [{ collaboratorId: ' ', percentage: 100 }] },
      'master.0.collaboratorId',
    ],
    ['an address of 501 characters', { address: 'x'.repeat(501) }, 'address'],
    ['an unknown country', { publishers: [{ ...whole[0], territory: 'UK' }] }, 'publishers.0.territory'],
    [
      'a sub-publisher without territories',
      { publishers: [{ ...whole[0], subPublishers: [{ ...whole[0], territories: [] }] }] },
      'publishers.0.subPublishers.0.territories',
    ],
    [
      'an unknown right',
      { publishers: [{ ...whole[0], collectionSplits: [{ right: 'all', percentage: 1 }] }] },
      'publishers.0.collectionSplits.0.right',
    ],
  ])('rejects %s', async (_, change, path) => {
    const { alice, sheet } = await createTrack()
    expect(invalidPaths(await alice.put(sheet, { master: whole, writers: whole, ...change }))).toEqual([path])
    expect((await alice.get(sheet)).body.createdAt).toBeNull()
  })
})
