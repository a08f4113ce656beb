import { describe, expect, it } from 'vitest'
import { findLiveLimit } from '#migration/diff/compare-live.ts'
import { recordedResponse } from '../responses.ts'

const whole = recordedResponse(200, { records: [{}, {}] })
const page = recordedResponse(200, { records: [{}], nextCursor: null })
const quota = recordedResponse(409, { error: 'quota_exceeded', message: 'm', quota: 'links', limit: 1 })
const conflict = recordedResponse(409, { error: 'library_name_conflict' })
const limited = recordedResponse(429, { error: 'rate_limited' })

describe('findLiveLimit', () => {
  it.each([
    ['a rate limit of native', 'rate_limited', '', limited, whole],
    ['a rate limit of the core', 'rate_limited', '', whole, limited],
    ['rate limits of both', 'rate_limited', '', limited, limited],
    ['a quota of native', 'quota_exceeded', '', quota, conflict],
    ['a quota of the core', 'quota_exceeded', '', whole, quota],
    ['a limit that the core ignores', 'not_paged', 'limit=1', page, whole],
    ['a cursor that the core ignores', 'not_paged', 'a=b&cursor=x', page, whole],
    ['a different conflict', null, '', conflict, whole],
    ['a page of both', null, 'limit=1', page, page],
    ['a page of the core alone', null, 'limit=1', whole, page],
    ['a page that was not requested', null, 'a=limit', page, whole],
    ['a different status for a page', null, 'limit=1', page, recordedResponse(404, { error: 'x' })],
  ])('for %s, returns %s', (_, expected, query, native, core) => {
    expect(findLiveLimit('libraries.list', query, native, core)).toBe(expected)
  })

  it('ignores cursors on routes that declare none', () => {
    expect(findLiveLimit('libraries.detail', 'limit=1', page, whole)).toBeNull()
  })
})
