import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import type { AcceptedDifference } from '#migration/diff/accepted.ts'
import { closureOfRoute, handlerFileOf, identifyBuild } from '#migration/evidence-keys/evidence-key.ts'
import { createImportGraph } from '#migration/evidence-keys/import-closure.ts'
import { openSourceTree, type SourceTree } from '#migration/evidence-keys/source-tree.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { handlers } from '#native-routes/index.ts'

const root = join(import.meta.dirname, '../../..')
const tree = openSourceTree()
const build = identifyBuild(tree)
const handled = [...build.keys.keys()]
const graph = createImportGraph(tree)
const filesOf = (label: Label) => closureOfRoute(graph, label).files

const changedBy = (
  changes: Partial<SourceTree>,
  declared: Partial<Parameters<typeof identifyBuild>[1]> = {},
) => {
  const { keys } = identifyBuild(
    { ...tree, ...changes },
    { rowOf, accepted: acceptedDifferences, ...declared },
  )
  expect([...keys.keys()]).toEqual(handled)
  return handled.filter((label) => keys.get(label) !== build.keys.get(label))
}

const editOf = (file: string): Partial<SourceTree> => ({
  readText: (path) => tree.readText(path) + (path === file ? '\nexport const added = 1\n' : ''),
})

describe('the evidence keys', () => {
  it('exist for exactly the routes that have a handler, and all differ', () => {
    expect([...handled].sort()).toEqual(Object.keys(handlers).sort())
    expect(new Set(build.keys.values()).size).toBe(handled.length)
  })

  it.each(handled)('cover the handler, contract and queries of %s', (label) => {
    const files = filesOf(label)
    const handler = handlerFileOf(label)
    const queries = [...tree.readText(handler).matchAll(/^import (?!type).*'#(db\/queries\/[^']+)'/gm)]
    expect(files).toContain(handler)
    expect(files).toContain(`contracts/${label.slice(0, label.lastIndexOf('.'))}.ts`)
    for (const [, query] of queries) expect(files).toContain(query)
  })

  it('cover what a handler imports, directly or indirectly', () => {
    const files = filesOf('libraries.shares.create')
    expect(files).toContain('db/queries/libraries/library-shares.ts')
    expect(files).toContain('db/schema/libraries.ts')
    expect(files).not.toContain('db/queries/tracks/track-lyrics.ts')
    expect(closureOfRoute(graph, 'libraries.shares.create').packages).toContain('drizzle-orm')
  })
})

describe('a change', () => {
  it.each([
    ['native-routes/libraries/create.ts', 'libraries.create', 'libraries.list'],
    ['contracts/tracks.lyrics.ts', 'tracks.lyrics.replace', 'tracks.tags.detail'],
    ['db/queries/tracks/track-lyrics.ts', 'tracks.lyrics.detail', 'tracks.list'],
    ['db/schema/processing.ts', 'tracks.uploads.finalize', 'billing.status'],
    ['native-routes/tracks/read-versions.ts', 'tracks.versions.promote', 'tracks.tags.detail'],
  ] as const)('to %s changes the keys that cover it and no others', (file, covering, other) => {
    const changed = changedBy(editOf(file))
    expect(changed).toEqual(handled.filter((label) => filesOf(label).has(file)))
    expect(changed).toContain(covering)
    expect(changed).not.toContain(other)
  })

  it.each([
    'gateway/app/serve.ts',
    'gateway/edge/inspect-request.ts',
    'gateway/request/cors.ts',
    'gateway/request/response.ts',
    'gateway/settings/quotas.ts',
    'gateway/node/write-response.ts',
    'gateway/workers/listener.ts',
    'proxy/headers/header-rules.ts',
    'gateway/pipeline/redact-response.ts',
    'gateway/adapters/object-storage-s3.ts',
    'gateway/adapters/create-ports.ts',
    'gateway/rate-limits/create-limits.ts',
    'gateway/rate-limits/rate-limit-redis.ts',
    'shared/fetch-traced.ts',
    'native-routes/scopes.ts',
    'native-routes/tracks/require-track.ts',
    'native-routes/port-access.ts',
    'db/client/transaction.ts',
    'migration/diff/compare-values.ts',
    'migration/diff/compare-live.ts',
    'migration/shadow/comparison-child.ts',
    'migration/shadow/run-shadowed.ts',
    'migration/shadow/read-copied-response.ts',
    'migration/live/conclude.ts',
    'migration/live/confirmations.ts',
    'migration/live/sample.ts',
    'migration/live/read-back.ts',
    'migration/live/comparison-filter.ts',
  ])('to %s, which all routes share, changes every key', (file) => {
    expect(changedBy(editOf(file))).toEqual(handled)
  })

  it.each([
    'native-routes/index.ts',
    'contracts/registry.ts',
    'contracts/route-table.ts',
    'gateway/node/http-server.ts',
    'proxy/undici/transport-undici.ts',
    'gateway/observability/log.ts',
    'gateway/observability/log-pino.ts',
    'gateway/pages/docs-page.ts',
    'migration/parity/accepted-differences.ts',
  ])('to %s changes no key, only the build id', (file) => {
    expect(changedBy(editOf(file))).toEqual([])
    expect(identifyBuild({ ...tree, ...editOf(file) }).id).not.toBe(build.id)
  })

  it('to a database migration changes every key', () => {
    const [migration = ''] = tree.listFiles('db/migrations', '.sql')
    expect(changedBy(editOf(migration))).toEqual(handled)
  })

  it('that only adds comments on their own lines changes neither a key nor the build id', () => {
    const comments = '// what it does\n  /** Returns\n   * what it does. */\n'
    const commented = {
      readText: (path: string) => (path.endsWith('.ts') ? comments : '') + tree.readText(path),
    }
    expect(identifyBuild({ ...tree, ...commented })).toEqual(build)
  })

  it("to a package's version changes every key if the package is imported, and no key otherwise", () => {
    const upgrade = (name: string): Partial<SourceTree> => ({
      versionOf: (other) => (other === name ? '999.0.0' : tree.versionOf(other)),
    })
    expect(changedBy(upgrade('drizzle-orm'))).toEqual(handled)
    expect(changedBy(upgrade('vitest'))).toEqual([])
  })

  it("to a route's row changes only that route's key, but a change to the row's runtime changes none", () => {
    const declare = (changes: Partial<Row>) => ({
      rowOf: (label: Label) => ({ ...rowOf(label), ...(label === 'libraries.detail' ? changes : {}) }),
    })
    expect(changedBy({}, declare({ auth: 'public' }))).toEqual(['libraries.detail'])
    expect(changedBy({}, declare({ effects: 'events' }))).toEqual(['libraries.detail'])
    expect(changedBy({}, declare({ runtime: 'proxy' }))).toEqual([])
  })

  it("to a route's accepted differences changes only that route's key", () => {
    const accept = (label: AcceptedDifference['label']) => ({
      accepted: [
        ...acceptedDifferences,
        { label, path: 'body.name', kind: 'value', reason: 'r', owner: 'o', expires: '2027-01-01' } as const,
      ],
    })
    expect(changedBy({}, accept('libraries.detail'))).toEqual(['libraries.detail'])
    expect(changedBy({}, accept('*'))).toEqual(handled)
  })
})

describe('equal sources', () => {
  it('give equal keys whatever the order of the files', () => {
    const reversed = {
      ...tree,
      listFiles: (...args: Parameters<SourceTree['listFiles']>) => [...tree.listFiles(...args)].reverse(),
    }
    expect(identifyBuild(reversed)).toEqual(build)
  })

  it("give equal keys in another folder and with another platform's line endings", () => {
    const copy = mkdtempSync(join(tmpdir(), 'crossfade-evidence-'))
    try {
      const folders = [
        'bin',
        'contracts',
        'db',
        'gateway',
        'jobs',
        'migration',
        'native-routes',
        'proxy',
        'shared',
      ]
      const migrations = tree.listFiles('db/migrations', '.sql')
      for (const path of [...folders.flatMap((folder) => tree.listFiles(folder)), ...migrations]) {
        mkdirSync(join(copy, dirname(path)), { recursive: true })
        writeFileSync(join(copy, path), readFileSync(join(root, path), 'utf8').replaceAll('\n', '\r\n'))
      }
      cpSync(join(root, 'package.json'), join(copy, 'package.json'))
      cpSync(join(root, 'scripts'), join(copy, 'scripts'), { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
      expect(identifyBuild(openSourceTree(copy))).toEqual(build)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  })
})

describe('a source tree', () => {
  it('names the missing file or package in its error', () => {
    expect(() => tree.readText('contracts/missing.ts')).toThrow(
      /contracts\/missing\.ts.*complete source tree/,
    )
    expect(() => tree.versionOf('not-installed')).toThrow(/Cannot find package 'not-installed'/)
  })
})
