import { describe, expect, it } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import {
  type Auth,
  type Effects,
  type Method,
  nativeOnlyPrefixes,
  type Runtime,
  routeTable,
  type Scope,
} from '#contracts/route-table.ts'
import { findRoute, isNativeOnly } from '#gateway/request/find-route.ts'

type Row = readonly [
  method: Method,
  path: string,
  auth: Auth,
  runtime: Runtime,
  effects: Effects,
  scope?: Scope,
]

const rows = Object.values(contracts).map(({ label }) => {
  const row: Row = routeTable[label]
  const [method, path, auth, runtime, effects, scope] = row
  return { label, method, path, auth, runtime, effects, scope }
})

const filled = (path: string, value: string) => path.replaceAll(/:\w+/g, value)
const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)

describe('the route table', () => {
  it('gives every method and path to one label', () => {
    const addresses = rows.map(({ method, path }) => `${method} ${filled(path, ':')}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it('writes every label in lower-case words that end with a verb', () => {
    for (const { label } of rows) expect(label).toMatch(/^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)+$/)
  })

  it.each(rows)('$label is what its own path finds', ({ label, method, path }) => {
    for (const value of ['0198c1f0-7c1a-7000-8000-000000000000', 'x', '-'])
      expect(findRoute(method, filled(path, value))).toEqual({
        kind: 'row',
        label,
        params: Object.fromEntries(parametersOf(path).map((name) => [name, value])),
      })
  })

  it('tries a word of the table before a parameter', () => {
    expect(findRoute('GET', '/v1/libraries/shared-with-me')).toMatchObject({
      label: 'libraries.shared-with-me',
    })
    expect(findRoute('PUT', '/v1/packs/p1/tracks/order')).toMatchObject({ label: 'packs.tracks.reorder' })
  })

  it.each(rows)('$label says what it leaves behind', ({ method, path, effects }) => {
    if (method !== 'GET') expect(effects).not.toBe('none')
    if (method === 'GET') expect(['none', 'events']).toContain(effects)
    if (path.startsWith('/v1/public/')) expect(['GET', 'POST']).toContain(method)
    if (path.startsWith('/v1/public/')) expect(['none', 'events']).toContain(effects)
  })

  it.each(rows)('$label has a caller that suits its place', ({ path, auth, runtime }) => {
    const expected = {
      public: /^public$/,
      'pack-links': /^actor\?$/,
      webhooks: /^signature$/,
      'media-intelligence': /^signature$/,
      internal: /^internal$/,
    }[path.split('/')[2]!]
    expect(auth).toMatch(expected ?? /^actor(\+.+)?$/)
    expect(isNativeOnly(filled(path, 'x'))).toBe(runtime === 'native-only')
  })

  it('forwards nothing at or below a native-only prefix', () => {
    for (const prefix of nativeOnlyPrefixes) expect(isNativeOnly(prefix.replace('*', ''))).toBe(true)
  })

  it.each(rows)('$label names a scope only where its path names the resource', ({ path, scope }) => {
    const resource = scope?.split(':')[0]
    const named = resource === 'link' ? (scope === 'link:pack' ? 'slug' : 'token') : `${resource}Id`
    if (resource) expect(parametersOf(path)).toContain(named)
  })

  it('has every path with a token or a slug open a link', () => {
    for (const { label, path, scope } of rows)
      if (/:(token|slug)/.test(path)) expect(scope, label).toMatch(/^link:/)
  })

  it('leaves no owned track, pack or library without a scope', () => {
    for (const { label, path, scope } of rows)
      if (/^\/v1\/(tracks\/:trackId|packs\/:packId|libraries\/:libraryId)/.test(path))
        expect(scope, label).toMatch(/^(track|pack|library:.+)$/)
  })
})
