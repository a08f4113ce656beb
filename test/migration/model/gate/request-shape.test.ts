import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { queryParametersOf, queryShapeOf } from '#migration/model/gate/request-shape.ts'

describe('the shape of a query', () => {
  it.each([
    ['', ''],
    ['limit=5', 'limit=number'],
    ['limit=many&limit=5', 'limit=text repeated'],
    ['cursor=YWJj&limit=5', 'cursor=text&limit=number'],
    ['inviteStatus=pending', 'inviteStatus=pending'],
    ['inviteStatus=someone%40example.com', 'inviteStatus=other'],
    ['inviteStatus=', 'inviteStatus=other'],
    ['limit=', 'limit=empty'],
    ['someone%40example.com=1&_=2', '?'],
    ['__proto__=1', '?'],
  ])('for %j is %j', (query, shape) => {
    expect(queryShapeOf('libraries.shared-with-me', query)).toBe(shape)
  })

  it('does not depend on the order of parameters', () => {
    expect(queryShapeOf('libraries.list', 'limit=1&cursor=a')).toBe(
      queryShapeOf('libraries.list', 'cursor=b&limit=2'),
    )
  })

  it('covers the query parameters of every contract that has any', () => {
    const withQuery = labels.filter((label) => queryParametersOf(label).size > 0)
    expect(withQuery.length).toBeGreaterThan(20)
    expect([...queryParametersOf('tracks.list').keys()]).toContain('cursor')
  })
})
