import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { accessCode, paging, QueryFlag, query, visitor } from '#contracts/shared/query.ts'
import { faultPaths } from '../inputs.ts'

const Visit = query(z.object({ ...visitor, accessCode }))
const Page = query(z.object(paging({ max: 200, defaultLimit: 50 })))
const Flag = query(z.object({ includeHidden: QueryFlag }))

describe('the query of a visitor', () => {
  it('comes from a pack link unless it says otherwise', () => {
    for (const source of [{}, { source: '' }, { source: '  ' }])
      expect(Visit.parse(source)).toMatchObject({ source: 'pack_link' })
    expect(Visit.parse({ source: ' newsletter ' })).toMatchObject({ source: 'newsletter' })
  })

  it('is cut and never refused', () => {
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

  it('counts the first of repeated names', () => {
    expect(Visit.parse({ visitorId: ['first', 'second'], accessCode: ['right', 'wrong'] })).toMatchObject({
      visitorId: 'first',
      accessCode: 'right',
    })
  })

  it('keeps an access code to the letter', () => {
    expect(Visit.parse({ accessCode: ' Code 1 ' })).toMatchObject({ accessCode: ' Code 1 ' })
  })
})

describe('a page', () => {
  it('defaults to the limit of the list and accepts a requested limit', () => {
    expect(Page.parse({})).toEqual({ limit: 50 })
    expect(Page.parse({ limit: '200', cursor: 'next' })).toEqual({ limit: 200, cursor: 'next' })
  })

  it.each(['0', '201', '-1', '1.5', '1e2', '0x10', '01', ' 5', '', 'ten', '99999999999'])(
    'cannot have the limit %j',
    (limit) => {
      expect(faultPaths(Page, { limit })).toEqual(['limit'])
    },
  )

  it('cannot start at an empty cursor', () => {
    expect(faultPaths(Page, { cursor: '' })).toEqual(['cursor'])
  })
})

describe('a flag', () => {
  it('is true, false or absent', () => {
    expect(Flag.parse({ includeHidden: 'true' })).toEqual({ includeHidden: true })
    expect(Flag.parse({ includeHidden: 'false' })).toEqual({ includeHidden: false })
    expect(Flag.parse({})).toEqual({ includeHidden: false })
  })

  it.each(['1', 'TRUE', 'yes', '', ' true'])('is never %j', (includeHidden) => {
    expect(faultPaths(Flag, { includeHidden })).toEqual(['includeHidden'])
  })
})
