import { TrieRouter } from 'hono/router/trie-router'
import type { H, RouterRoute } from 'hono/types'
import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { createRowRouter } from '#gateway/app/app.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { enterRoute, RequestContext } from '#gateway/request/context.ts'
import { describeUnmatched } from '#gateway/request/unmatched.ts'
import { createLabelFinder, findLabel } from '#test/support/find-label.ts'

const fillParameters = (path: string, value: string) => path.replaceAll(/:\w+/g, value)
const values = [
  '0198c1f0-7c1a-7000-8000-000000000000',
  'x',
  '-',
  '%2541',
  '__proto__',
  'constructor',
  '*',
  ':id',
]

const readParamsOf = (label: Label, path: string) => {
  const context = new RequestContext({
    method: 'GET',
    target: { path, query: '', isRewritten: false },
    header: () => undefined,
    clientAddress: () => '127.0.0.1',
    bodyBudget: createBodyBudget(0),
    read: async () => new Uint8Array(),
  })
  expect(context.params).toEqual({})
  enterRoute(context, label)
  return context.params
}

describe('the row', () => {
  it.each(labels)('%s is found by its method and path, with its parameters exactly as sent', (label) => {
    const { method, path } = rowOf(label)
    for (const value of values) {
      const filled = fillParameters(path, value)
      expect(findLabel(method, filled), filled).toBe(label)
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      expect(readParamsOf(label, filled)).toEqual(Object.fromEntries(names.map((name) => [name, value])))
    }
  })

  it.each(labels)('%s is not found by a different spelling of its path', (label) => {
    const { method, path } = rowOf(label)
    const filled = fillParameters(path, 'x')
    for (const other of [`${filled}/`, `${filled}//`, filled.toUpperCase(), filled.replace('/v1/', '/v1//')])
      expect(findLabel(method, other), other).toBe(null)
    if (path.includes(':')) expect(findLabel(method, fillParameters(path, '')), path).toBe(null)
  })

  it.each([
    ['as it is', labels, createRowRouter<[H, RouterRoute]>],
    ['reversed', labels.toReversed(), createRowRouter<[H, RouterRoute]>],
    ['reversed and with middleware', labels.toReversed(), () => new TrieRouter<[H, RouterRoute]>()],
  ] as const)(
    'with a literal segment takes precedence over one with a parameter, with the table %s',
    (_, rows, createRouter) => {
      const find = createLabelFinder(rows, createRouter())
      expect(find('GET', '/v1/libraries/shared-with-me')).toBe('libraries.shared-with-me')
      expect(find('HEAD', '/v1/libraries/shared-with-me')).toBe('libraries.shared-with-me')
      expect(find('POST', '/v1/libraries/shared-with-me/tracks')).toBe('libraries.tracks.add')
      expect(find('PUT', '/v1/packs/p1/tracks/order')).toBe('packs.tracks.reorder')
      for (const label of labels) {
        const { method, path } = rowOf(label)
        expect(find(method, fillParameters(path, 'x'))).toBe(label)
      }
    },
  )
})

describe('an unmatched path', () => {
  it('is described with the methods that have a row for it', () => {
    expect(describeUnmatched('/v1/libraries')).toEqual({
      kind: 'other-method',
      allow: ['GET', 'HEAD', 'POST'],
      nativeOnly: false,
    })
    expect(describeUnmatched('/v1/libraries/shared-with-me')).toMatchObject({
      allow: ['DELETE', 'GET', 'HEAD', 'PATCH'],
    })
    for (const path of ['/v1', '/v1/', '/v1/libraries/', '/v1/__proto__', '/v1/libraries/x/__proto__'])
      expect(describeUnmatched(path), path).toEqual({ kind: 'no-row', nativeOnly: false })
  })

  it('counts as a track resource only if it is exactly one segment below a track', () => {
    expect(describeUnmatched('/v1/tracks/t1/lyrics')).toEqual({
      kind: 'track-resource',
      trackId: 't1',
      allow: ['GET', 'HEAD', 'PUT'],
    })
    expect(describeUnmatched('/v1/tracks/t1/nonsense')).toMatchObject({ allow: null })
    expect(describeUnmatched('/v1/tracks/t1/lyrics/more')).toMatchObject({ kind: 'no-row' })
  })
})
