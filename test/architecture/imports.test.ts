import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layers } from './import-layers.ts'
import { allowedImports, homesOf } from './import-rules.ts'
import { files, findCycles, importsOf, isWithin, root } from './source-files.ts'

const {
  imports: packageImports,
}: { readonly imports: Readonly<Record<string, { readonly workerd?: string }>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

const folders = layers.flat()

/** The most specific folder of the layers that a file lies in; null for packages and for test, bench and scripts. */
const folderOf = (path: string) =>
  folders.filter((folder) => isWithin(path, folder)).sort((a, b) => b.length - a.length)[0] ?? null

const filesByFolder = Map.groupBy(files, folderOf)
const filesOf = (folder: string) => filesByFolder.get(folder) ?? []
const inProduction = folders.flatMap(filesOf)

const permits = (permission: string, target: string) => {
  if (permission.endsWith(':')) return target.startsWith(permission)
  if (permission.endsWith('.ts')) return target === permission
  return folders.includes(permission) ? folderOf(target) === permission : isWithin(target, permission)
}

const foreignImports = (folder: string) =>
  filesOf(folder).flatMap((file) => importsOf(file).filter(({ target }) => folderOf(target) !== folder))

const layerOf = (folder: string) => layers.findIndex((layer) => layer.includes(folder))

describe.each(Object.entries(allowedImports))('%s', (folder, permissions) => {
  it('imports only what it may', () => {
    const strays = foreignImports(folder).filter(
      ({ target }) => !permissions.some((permission) => permits(permission, target)),
    )
    expect(strays.map(({ file, target }) => `${file} imports ${target}`)).toEqual([])
  })
})

it.each(folders)('%s imports nothing of a higher layer', (folder) => {
  const upward = foreignImports(folder).filter(({ target }) => {
    const other = folderOf(target)
    return other !== null && layerOf(other) > layerOf(folder)
  })
  expect(upward.map(({ file, target }) => `${file} imports ${target}`)).toEqual([])
})

it.each(Object.entries(homesOf))('%s is imported only in %j', (name, homes) => {
  const importers = inProduction.filter((file) =>
    importsOf(file).some(({ target }) => isWithin(target, name)),
  )
  expect(importers.length).toBeGreaterThan(0)
  expect(importers.filter((file) => !homes.some((home) => isWithin(file, home)))).toEqual([])
})

describe('the import rules', () => {
  it('find what they judge', () => {
    expect(importsOf('gateway/request/unmatched.ts').map(({ target }) => target)).toContain(
      'contracts/route-table.ts',
    )
    expect(folderOf('gateway/adapters/billing-stripe/client.ts')).toBe('gateway/adapters')
    expect(folderOf('db/migrate.ts')).toBe('db')
    expect(permits('db', 'db/client/pool.ts')).toBe(false)
    expect(permits('drizzle-orm', 'drizzle-orm/pg-core')).toBe(true)
    expect(permits('node:', 'node:http')).toBe(true)
    expect(permits('hono', 'hono-other')).toBe(false)
  })

  it('know every folder of what runs in production', () => {
    const unruled = files.filter((file) => /^(?!test\/|bench\/).+\//.test(file) && folderOf(file) === null)
    expect(unruled).toEqual([])
  })
})

describe('the files', () => {
  it('import the values of no file that imports theirs', () => {
    expect(findCycles()).toEqual([])
  })
})

describe('the Workers platform', () => {
  it('needs little of Node', () => {
    const replacedOnWorkers = new Map(
      Object.entries(packageImports).flatMap(([specifier, { workerd }]) =>
        workerd ? [[specifier.slice(1), workerd.slice(2)]] : [],
      ),
    )
    const loaded = new Set<string>()
    const load = (file: string) => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const { target, isValue } of importsOf(file))
        if (isValue) load(replacedOnWorkers.get(target) ?? target)
    }
    load('bin/worker.ts')
    expect(loaded).toContain('native-routes/libraries/create.ts')
    // What the flag `nodejs_compat` offers.
    expect([...loaded].filter((one) => one.startsWith('node:')).sort()).toEqual([
      'node:async_hooks',
      'node:crypto',
      'node:timers/promises',
    ])
  })
})

describe('production code', () => {
  it('imports neither test, bench nor sandbox', () => {
    const outside = ['test', 'bench', 'sandbox']
    const development = ['dev/start', 'dev/start.ts', 'vitest.thorough.config.ts']
    const strays = files
      .filter((file) => ![...outside, ...development].some((one) => isWithin(file, one)))
      .flatMap((file) => importsOf(file))
      .filter(({ target }) => outside.some((one) => isWithin(target, one)))
    expect(strays).toEqual([])
  })
})
