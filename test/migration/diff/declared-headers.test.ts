import { describe, expect, it } from 'vitest'
import { compare, formatDifferences, recordedResponse } from '../responses.ts'

const time = '2026-11-20T10:00:00.000Z'

const created = (id: string, location: string | undefined) =>
  recordedResponse(
    201,
    { id, name: 'Harbour EP', description: null, trackCount: 0, createdAt: time, updatedAt: time },
    location === undefined ? {} : { location },
  )

const compareLocations = (native: string | undefined, core: string | undefined) =>
  formatDifferences(compare('packs.create', created('n1', native), created('c1', core)))

describe('a Location header that the contract declares', () => {
  it.each([
    ['/v1/packs/n1', 'http://gateway.test/v1/packs/c1'],
    ['https://api.example/base/v1/packs/n1', 'http://127.0.0.1:9000/v1/packs/c1'],
    ['//api.example/v1/packs/n1', '/v1/packs/c1'],
  ])('is equal if only the base URLs and the new ids differ, as in %s and %s', (native, core) => {
    expect(compareLocations(native, core)).toEqual([])
  })

  it('must contain the id from the body', () => {
    expect(compareLocations('/v1/packs/n2', '/v1/packs/c1')).toEqual([
      'value headers.location regression unknown',
    ])
  })

  it('must have the same path on both sides', () => {
    expect(compareLocations('/v1/tracks/n1', '/v1/packs/c1')).toEqual([
      'header headers.location regression unknown',
    ])
  })

  it('is a regression if only native omits it, and accepted if only the core does', () => {
    expect(compareLocations(undefined, '/v1/packs/c1')).toEqual(['header headers.location regression native'])
    expect(compareLocations('/v1/packs/n1', undefined)).toEqual(['header headers.location accepted core'])
    expect(compareLocations(undefined, undefined)).toEqual(['schema headers.location regression both'])
  })
})
