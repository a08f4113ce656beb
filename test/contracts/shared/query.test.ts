import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { accessCode, paging, QueryFlag, query, visitorFields } from '#contracts/shared/query.ts'
import { issuePaths } from '../inputs.ts'

const Visit = query(z.object({ ...visitorFields, accessCode }))
const Page = query(z.object(paging({ maxLimit: 200, defaultLimit: 50 })))
const Flag = query(z.object({ includeHidden: QueryFlag }))

describe("a visitor's query", () => {
  it('trims the source, and replaces an absent or blank one with pack_link', () => {
    for (const source of [{}, { source: '' }, { source: '  ' }])
      expect(Visit.parse(source)).toMatchObject({ source: 'pack_link' })
    expect(Visit.parse({ source: ' newsletter ' })).toMatchObject({ source: 'newsletter' })
  })

  it('truncates values that are too long', () => {
    const sent = {
      visitorId: 'v'.repeat(500),
      sessionId: ' \u0000 ',
      source: 's'.repeat(121),
      accessCode: '',
    }
    expect(Visit.parse(sent)).toEqual({
      visitorId: 'v'.repeat(120),
      sessionId: undefined,
      source: 's'.repeat(120),
      accessCode: undefined,
    })
  })

  it('uses the first value of a repeated parameter', () => {
    expect(Visit.parse({ visitorId: ['first', 'second'], accessCode: ['right', 'wrong'] })).toMatchObject({
      visitorId: 'first',
      accessCode: 'right',
    })
  })

  it('does not trim an access code', () => {
    expect(Visit.parse({ accessCode: ' Code 1 ' })).toMatchObject({ accessCode: ' Code 1 ' })
  })
})

describe('paging', () => {
  it("uses the list's default limit if none is given", () => {
    expect(Page.parse({})).toEqual({ limit: 50 })
    expect(Page.parse({ limit: '200', cursor: 'next' })).toEqual({ limit: 200, cursor: 'next' })
  })

  it.each(['0', '201', '-1', '1.5', '1e2', '0x10', '01', ' 5', '', 'ten', '99999999999'])(
    'rejects the limit %j',
    (limit) => {
      expect(issuePaths(Page, { limit })).toEqual(['limit'])
    },
  )

  it('rejects an empty cursor', () => {
    expect(issuePaths(Page, { cursor: '' })).toEqual(['cursor'])
  })
})

describe('QueryFlag', () => {
  it('accepts true and false and defaults to false', () => {
    expect(Flag.parse({ includeHidden: 'true' })).toEqual({ includeHidden: true })
    expect(Flag.parse({ includeHidden: 'false' })).toEqual({ includeHidden: false })
    expect(Flag.parse({})).toEqual({ includeHidden: false })
  })

  it.each(['1', 'TRUE', 'yes', '', ' true'])('rejects %j', (includeHidden) => {
    expect(issuePaths(Flag, { includeHidden })).toEqual(['includeHidden'])
  })
})
