import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const share = (collaboratorId: string, percentage: number) => ({ collaboratorId, percentage })
const ann = share('ann', 100)
const identity = { name: null, pro: null, ipi: null }
const presented = (collaboratorId: string, percentage: number) => ({
  ...share(collaboratorId, percentage),
  ...identity,
  role: null,
})

describe('tracks.split-sheet.replace', () => {
  const gateway = startTestGateway()

  const track = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}/split-sheet` }
  }

  it('stores the sheet in the given order, with defaults for absent fields', async () => {
    const { alice, trackId, path } = await track()
    const response = await alice.put(path, {
      address: '1 Mill Lane\nYork',
      intendedUse: 'Film',
      ownerId: 'acct_mallory',
      master: [share('zoe', 60), share('ann', 40)],
      writers: [
        { ...share('ann', 33.33), ownerId: 'acct_mallory' },
        share('bea', 33.33),
        share('cat', 33.34),
      ],
      publishers: [
        {
          ...share('pub', 100),
          subPublishers: [
            {
              ...share('sub', 50),
              territories: ['DE', 'AT'],
              collectionSplits: [{ right: 'sync', percentage: 12.3456 }],
            },
          ],
        },
      ],
    })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      trackId,
      address: '1 Mill Lane\nYork',
      intendedUse: 'Film',
      master: [presented('zoe', 60), presented('ann', 40)],
      writers: [presented('ann', 33.33), presented('bea', 33.33), presented('cat', 33.34)],
      publishers: [
        {
          ...share('pub', 100),
          ...identity,
          writerCollaboratorId: null,
          role: 'original_publisher',
          territory: 'WORLD',
          collectionSplits: [],
          subPublishers: [
            {
              ...share('sub', 50),
              ...identity,
              territories: ['DE', 'AT'],
              collectionSplits: [{ right: 'sync', percentage: 12.3456, territory: 'WORLD' }],
            },
          ],
        },
      ],
      status: { isComplete: true, validationErrors: [], validatedAt: response.body.updatedAt },
      createdAt: expect.any(String),
      updatedAt: response.body.createdAt,
    })
    expect((await alice.get(path)).body).toEqual(response.body)
  })

  it('replaces the whole sheet', async () => {
    const { alice, path } = await track()
    const whole = { master: [ann], writers: [ann], publishers: [ann], address: 'York', intendedUse: 'Film' }
    const before = (await alice.put(path, whole)).body
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { body } = await alice.put(path, { master: [share('bea', 100)], writers: [ann] })
    expect(body).toMatchObject({ address: '', intendedUse: '', master: [share('bea', 100)], publishers: [] })
    expect(body.status).toEqual({ isComplete: false, validationErrors: [], validatedAt: body.updatedAt })
    expect(body.createdAt).toBe(before.createdAt)
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
  })

  it.each([
    ['33.33 three times', [33.33, 33.33, 33.33], 200],
    ['33.3 three times', [33.3, 33.3, 33.3], 422],
    ['50 and 50.01', [50, 50.01], 200],
    ['50 and 50.02', [50, 50.02], 422],
    ['ten times 10', Array<number>(10).fill(10), 200],
    ['99.99', [99.99], 200],
    ['99.98', [99.98], 422],
  ])('sums percentages exactly: %s', async (_, percentages, status) => {
    const { alice, path } = await track()
    const master = percentages.map((percentage, index) => share(`c${index}`, percentage))
    expect((await alice.put(path, { master, writers: [ann] })).status).toBe(status)
  })

  it('returns 422 with all imbalances and stores nothing', async () => {
    const { alice, path } = await track()
    const before = (await alice.put(path, { master: [ann], writers: [ann] })).body
    const split = { right: 'mechanical', percentage: 10 }
    const sub = { ...share('sub', 60), territories: ['DE'], collectionSplits: [split, split] }
    const response = await alice.put(path, {
      master: [share('ann', 50), share('ann', 40)],
      writers: [share('ann', 30), share('bea', 30)],
      publishers: [
        {
          ...share('pub', 40),
          writerCollaboratorId: 'ann',
          subPublishers: [sub, { ...sub, collectionSplits: [] }],
        },
        { ...share('pub', 10), writerCollaboratorId: 'unknown', collectionSplits: [split, split] },
      ],
    })
    expect(response.status).toBe(422)
    expect(response.body).toEqual(
      errorBody('split_sheet_structural_validation_failed', { issues: expect.any(Array) }),
    )
    const summary = response.body.issues.map(({ message, ...issue }: { message: string }) => {
      expect(message).not.toBe('')
      return issue
    })
    expect(summary).toEqual([
      { path: 'master', code: 'master_total_mismatch', expected: 100, actual: 90 },
      { path: 'master.1.collaboratorId', code: 'duplicate_collaborator' },
      { path: 'writers', code: 'writers_total_mismatch', expected: 100, actual: 60 },
      { path: 'publishers', code: 'publishers_total_mismatch', expected: 100, actual: 50 },
      {
        path: 'publishers.0.writerCollaboratorId',
        code: 'publisher_writer_exceeds_share',
        expected: 30,
        actual: 40,
      },
      { path: 'publishers.1.writerCollaboratorId', code: 'publisher_writer_unknown' },
      {
        path: 'publishers.0.subPublishers',
        code: 'sub_publishers_exceed_parent',
        expected: 100,
        actual: 120,
      },
      { path: 'publishers.0.subPublishers.0.collectionSplits.1', code: 'duplicate_collection_split' },
      { path: 'publishers.1.collectionSplits.1', code: 'duplicate_collection_split' },
    ])
    expect((await alice.get(path)).body).toEqual(before)
  })

  it.each([
    ['no master entries', { writers: [ann] }, 'master'],
    ['no writers', { master: [ann], writers: [] }, 'writers'],
    ['a share above 100', { master: [share('ann', 100.01)], writers: [ann] }, 'master.0.percentage'],
    ['a negative share', { master: [ann], writers: [share('ann', -1)] }, 'writers.0.percentage'],
    [
      'an unknown territory',
      { master: [ann], writers: [ann], publishers: [{ ...ann, territory: 'XX' }] },
      'publishers.0.territory',
    ],
  ])('returns 400 for %s before it checks the balance', async (_, sheet, issuePath) => {
    const { alice, path } = await track()
    const response = await alice.put(path, sheet)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path: issuePath, message: expect.any(String) }] }),
    )
    expect((await alice.get(path)).body.updatedAt).toBeNull()
  })

  it('stores the whole sheet of exactly one of several concurrent requests', async () => {
    const { alice, path } = await track()
    const responses = await Promise.all(
      ['ann', 'bea', 'cat', 'dan'].map((id) =>
        alice.put(path, { address: id, master: [share(id, 100)], writers: [share(id, 100)] }),
      ),
    )
    const { body } = await alice.get(path)
    expect(responses.map((response) => response.body)).toContainEqual(body)
    expect(body.master[0].collaboratorId).toBe(body.address)
    expect(body.writers[0].collaboratorId).toBe(body.address)
  })
})
