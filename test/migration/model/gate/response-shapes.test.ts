import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { explainShapes } from '#migration/model/gate/coverage-checks.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import {
  isResponseShape,
  listUnseenShapes,
  queryShapesOf,
  responseShapesOf,
} from '#migration/model/gate/response-shapes.ts'
import { maxShapes } from '#migration/shadow/comparison-tasks.ts'
import { goodComparisons } from './gate-inputs.ts'

const track = {
  id: '1',
  title: 'someone@example.com',
  artist: 'A',
  isrc: null,
  iswc: 'T-000.000.001-0',
  releaseDate: null,
  durationMs: 1000,
  currentVersionId: null,
  processingState: 'ready',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

describe('the shapes of a response', () => {
  it('include nulls and the values that the contract lists', () => {
    expect(responseShapesOf('tracks.detail', 200, track)).toEqual([
      'body.isrc null',
      'body.iswc set',
      'body.releaseDate null',
      'body.durationMs set',
      'body.currentVersionId null',
      'body.processingState ready',
    ])
  })

  it.each([
    [[], 'body.records empty'],
    [[track], 'body.records one'],
    [[track, track, track], 'body.records many'],
  ])('say whether its lists have zero, one or many elements', (items, shape) => {
    expect(responseShapesOf('tracks.list', 200, { records: items, nextCursor: null })).toContain(shape)
  })

  it('cover all elements of a list', () => {
    const items = [track, { ...track, isrc: 'GB0000000001', processingState: 'failed' }]
    expect(responseShapesOf('tracks.list', 200, { records: items, nextCursor: 'a' })).toEqual(
      expect.arrayContaining([
        'body.records.*.isrc null',
        'body.records.*.isrc set',
        'body.records.*.processingState ready',
        'body.records.*.processingState failed',
        'body.nextCursor set',
      ]),
    )
  })

  it('include the error code', () => {
    expect(responseShapesOf('tracks.detail', 404, { error: 'track_not_found' })).toEqual([
      'error track_not_found',
    ])
    expect(responseShapesOf('tracks.detail', 404, { error: 'someone@example.com' })).toEqual([])
  })

  it.each(['a text', null, [], { processingState: 'someone@example.com', items: 'a' }])(
    'contain no value that the contract does not list: %j',
    (body) => {
      for (const label of labels)
        for (const shape of responseShapesOf(label, 200, body)) {
          expect(shape).not.toContain('someone')
          expect(isResponseShape(label, shape)).toBe(true)
        }
    },
  )

  it('are recognized for every route, and are fewer than the limit for one result', () => {
    for (const label of labels) {
      const all = listUnseenShapes(label, [])
      expect(all.length).toBeLessThan(maxShapes)
      for (const shape of all.filter((each) => !each.startsWith('query ')))
        expect(isResponseShape(label, shape)).toBe(true)
    }
    expect(isResponseShape('tracks.detail', 'body.title someone@example.com')).toBe(false)
  })
})

describe('the shapes of a query', () => {
  it('list its parameters one by one', () => {
    expect(queryShapesOf('tracks.list', 'limit=5&cursor=YWJj')).toEqual([
      'query cursor=text',
      'query limit=number',
    ])
    expect(queryShapesOf('tracks.list', '')).toEqual(['query none'])
    expect(queryShapesOf('tracks.detail', '')).toEqual([])
  })
})

it('listUnseenShapes lists the query parameters and response shapes that have not been seen', () => {
  const seen = ['query limit=number', 'body.records one', 'body.records.*.isrc null']
  const unseen = listUnseenShapes('tracks.list', seen)
  expect(unseen).toContain('query cursor')
  expect(unseen).toContain('body.records many')
  for (const each of ['query limit', ...seen]) expect(unseen).not.toContain(each)
})

it("the evidence lists the shapes that the gate's checks only count", () => {
  const rare = ['body.isrc null', 'body.isrc set', 'body.iswc null', 'body.iswc set', 'error a', 'error b']
  const shapes = rare.map((shape) => ({ shape, responses: 9, comparisons: 2 }))
  const [few = '', unseen = ''] = explainShapes(
    'tracks.detail',
    { ...goodComparisons, shapes },
    defaultGateLimits,
  )
  expect(few).toBe(`Compared fewer than 3 times: ${rare.map((shape) => `${shape} (2)`).join(', ')}.`)
  expect(unseen).toMatch(/^Not seen in 7 days: body\.releaseDate null, .*body\.processingState failed/)
  expect(explainShapes('tracks.remove', { ...goodComparisons, shapes: [] }, defaultGateLimits)).toEqual([])
})
