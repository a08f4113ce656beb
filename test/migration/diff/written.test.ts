import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import type { RecordedResponse } from '#migration/diff/recorded-response.ts'
import { findUnwritten, type NativeWrite } from '#migration/diff/written.ts'

const responded = (status: number, value?: unknown): RecordedResponse => ({
  status,
  headers: {},
  body: value === undefined ? { kind: 'empty' } : { kind: 'json', value },
})

const at = '2026-11-02T10:00:00.000Z'
const library = { id: 'lib_1', name: 'Tides', description: null, createdAt: at, updatedAt: at }
const update: NativeWrite = {
  label: 'libraries.update',
  params: { libraryId: 'lib_1' },
  request: { name: ' Tides ' },
  response: responded(200, library),
}
const removal: NativeWrite = {
  label: 'libraries.remove',
  params: { libraryId: 'lib_1' },
  request: undefined,
  response: responded(204),
}

const pathsOf = (write: NativeWrite, read: Label, core: RecordedResponse) =>
  findUnwritten(write, read, core).map(({ path }) => path)

const readAfter = (write: NativeWrite, differing: object) =>
  pathsOf(
    write,
    'libraries.detail',
    responded(200, { ...library, trackCount: 3, shareCount: 0, ...differing }),
  )

const listAfter = (write: NativeWrite, records: readonly object[], page = {}) =>
  pathsOf(write, 'libraries.list', responded(200, { records, ...page }))

describe('a read from the core after a write', () => {
  it('contradicts nothing if it matches both the parsed request and the response', () => {
    expect(readAfter(update, {})).toEqual([])
    expect(listAfter(update, [{ ...library, id: 'lib_0', name: 'B' }, library])).toEqual([])
  })

  it.each([
    [
      'the response differs from the stored row',
      { ...update, response: responded(200, { ...library, name: 'B' }) },
      {},
    ],
    [
      'the value is not the requested one',
      { ...update, response: responded(200, { ...library, name: 'B' }) },
      { name: 'B' },
    ],
    ['the value is unchanged', update, { name: 'Before' }],
    ['the value is unchanged after a 204', { ...update, response: responded(204) }, { name: 'Before' }],
  ])('contradicts the write if %s', (_, write, differing) => {
    expect(readAfter(write, differing)).toEqual(['body.name'])
  })

  it('contradicts a write that stored nothing', () => {
    const response = responded(201, library)
    const create: NativeWrite = { ...update, label: 'libraries.create', params: {}, response }
    expect(pathsOf(create, 'libraries.detail', responded(404, { error: 'library_not_found' }))).toEqual([
      'status',
    ])
    expect(listAfter(create, [{ ...library, id: 'lib_0' }])).toEqual(['body.records'])
    expect(listAfter(create, [{ ...library, name: 'B' }])).toEqual(['body.records.*.name'])
  })

  it('contradicts a removal if the resource still exists', () => {
    expect(readAfter(removal, {})).toEqual(['status'])
    expect(pathsOf(removal, 'libraries.detail', responded(404, {}))).toEqual([])
    expect(listAfter(removal, [library])).toEqual(['body.records'])
    expect(listAfter(removal, [{ ...library, id: 'lib_0' }])).toEqual([])
    expect(listAfter(removal, [{ ...library, revokedAt: at }])).toEqual([])
  })

  it.each([
    ['the resource was written again later', { name: 'C', updatedAt: '2026-11-02T10:00:00.001Z' }],
    ['only counts and links differ', { trackCount: 9, coverUrl: 'https://a.example/2' }],
    ['it shows a different resource', { id: 'lib_2', name: 'C' }],
  ])('says nothing if %s', (_, differing) => {
    const response = responded(200, { ...library, trackCount: 1, coverUrl: 'https://a.example/1' })
    expect(readAfter({ ...update, response }, differing)).toEqual([])
  })

  it("says nothing if the client changed another account's resource and cannot see it", () => {
    const share: NativeWrite = {
      label: 'libraries.shares.update',
      params: { libraryId: 'lib_1', shareId: 'share_1' },
      request: { inviteStatus: 'declined' },
      response: responded(200, { id: 'share_1', inviteStatus: 'declined' }),
    }
    expect(pathsOf(share, 'libraries.shares.list', responded(404, {}))).toEqual([])
    expect(pathsOf(share, 'libraries.shared-with-me', responded(200, { records: [] }))).toEqual([])
    expect(pathsOf(update, 'libraries.detail', responded(404, {}))).toEqual(['status'])
  })

  it('says nothing if the core fails or the resource may be on a later page', () => {
    expect(pathsOf(update, 'libraries.detail', responded(503, {}))).toEqual([])
    expect(listAfter(update, [], { nextCursor: 'next' })).toEqual([])
  })

  it('names the fields and the types of their values, but no values', () => {
    const core = responded(200, { ...library, name: null })
    const [difference] = findUnwritten({ ...update, request: { name: 'Secret' } }, 'libraries.detail', core)
    expect(difference).toMatchObject({ kind: 'effect', class: 'regression', blame: 'native' })
    expect(difference?.example).toEqual({ path: 'body.name', native: 'string', core: 'null' })
  })
})
