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
import { isNativeOnly } from '#gateway/request/unmatched.ts'

type RowTuple = readonly [
  method: Method,
  path: string,
  auth: Auth,
  runtime: Runtime,
  effects: Effects,
  scope?: Scope,
]

const rows = Object.values(contracts).map(({ label }) => {
  const row: RowTuple = routeTable[label]
  const [method, path, auth, runtime, effects, scope] = row
  return { label, method, path, auth, runtime, effects, scope }
})

const fillParameters = (path: string, value: string) => path.replaceAll(/:\w+/g, value)
const listParameters = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)

describe('the route table', () => {
  it('has only one label for each method and path', () => {
    const methodsAndPaths = rows.map(({ method, path }) => `${method} ${fillParameters(path, ':')}`)
    expect(new Set(methodsAndPaths).size).toBe(methodsAndPaths.length)
  })

  it('has labels of lower-case words separated by dots and hyphens', () => {
    for (const { label } of rows) expect(label).toMatch(/^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)+$/)
  })

  it.each(rows)('$label has effects that fit its method', ({ method, path, effects }) => {
    if (method !== 'GET') expect(effects).not.toBe('none')
    if (method === 'GET') expect(['none', 'events']).toContain(effects)
    if (path.startsWith('/v1/public/')) expect(['GET', 'POST']).toContain(method)
    if (path.startsWith('/v1/public/')) expect(['none', 'events']).toContain(effects)
  })

  it.each(rows)('$label has auth and runtime values that fit its path', ({ path, auth, runtime }) => {
    const expected = {
      public: /^public$/,
      'pack-links': /^actor\?$/,
      webhooks: /^signature$/,
      'media-intelligence': /^signature$/,
      internal: /^internal$/,
    }[path.split('/')[2]!]
    expect(auth).toMatch(expected ?? /^actor(\+.+)?$/)
    expect(isNativeOnly(fillParameters(path, 'x'))).toBe(runtime === 'native-only')
  })

  it('lists native-only prefixes that the gateway recognizes', () => {
    for (const prefix of nativeOnlyPrefixes) expect(isNativeOnly(prefix.replace('*', ''))).toBe(true)
  })

  it.each(rows)('$label has a scope only if its path names the resource', ({ path, scope }) => {
    const resource = scope?.split(':')[0]
    const named = resource === 'link' ? (scope === 'link:pack' ? 'slug' : 'token') : `${resource}Id`
    if (resource) expect(listParameters(path)).toContain(named)
  })

  it('has a link scope for every path with a token or a slug', () => {
    for (const { label, path, scope } of rows)
      if (/:(token|slug)/.test(path)) expect(scope, label).toMatch(/^link:/)
  })

  it('has a scope for every path with a track, pack or library id', () => {
    for (const { label, path, scope } of rows)
      if (/^\/v1\/(tracks\/:trackId|packs\/:packId|libraries\/:libraryId)/.test(path))
        expect(scope, label).toMatch(/^(track|pack|library:.+)$/)
  })
})
