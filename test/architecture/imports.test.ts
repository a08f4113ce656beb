import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homesOf, orderedFolders, parts } from './import-rules.ts'
import { files, findCycles, importsOf, isWithin, root } from './source-files.ts'

const {
  imports: packageImports,
}: { readonly imports: Readonly<Record<string, { readonly workerd?: string }>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

const mostSpecific = (path: string, names: readonly string[]) =>
  names.filter((name) => isWithin(path, name)).sort((a, b) => b.length - a.length)[0] ?? null

/** Finds the part that contains a path; null for packages and for code that does not run in production. */
const partOf = (path: string) => mostSpecific(path, Object.keys(parts))

const filesByPart = Map.groupBy(files, partOf)
const filesOf = (part: string) => filesByPart.get(part) ?? []

const foreignImports = (part: string) =>
  filesOf(part).flatMap((file) => importsOf(file).filter(({ target }) => partOf(target) !== part))

const permits = (name: string, target: string) =>
  name.endsWith(':') ? target.startsWith(name) : isWithin(target, name)

const isPackage = (target: string) => partOf(target) === null && !files.includes(target)

const format = ({ file, target }: { file: string; target: string }) => `${file} imports ${target}`

describe.each(Object.entries(parts))('%s', (part, { parts: others, packages }) => {
  it('imports only what the import rules allow', () => {
    const strays = foreignImports(part).filter(({ target }) => {
      if (isPackage(target)) return packages !== null && !packages.some((name) => permits(name, target))
      return !others.some((other) => (other in parts ? partOf(target) === other : isWithin(target, other)))
    })
    expect(strays.map(format)).toEqual([])
  })
})

describe.each(Object.entries(orderedFolders))('the folders of %s', (part, order) => {
  const folderOf = (path: string) => mostSpecific(path, order.flat())
  const rankOf = (path: string) => order.findIndex((folders) => folders.includes(folderOf(path) ?? ''))

  it('import nothing from folders that come later in the order', () => {
    const upward = filesOf(part)
      .flatMap((file) => importsOf(file))
      .filter(({ file, target }) => rankOf(target) > rankOf(file))
    expect(upward.map(format)).toEqual([])
    expect(filesOf(part).filter((file) => folderOf(file) === null)).toEqual([])
  })
})

it.each(Object.entries(homesOf))('%s is imported only in %j', (name, homes) => {
  const importers = Object.keys(parts)
    .flatMap(filesOf)
    .filter((file) => importsOf(file).some(({ target }) => isWithin(target, name)))
  expect(importers.length).toBeGreaterThan(0)
  expect(importers.filter((file) => !homes.some((home) => isWithin(file, home)))).toEqual([])
})

describe('the import rules', () => {
  it('assign files and packages to the right parts', () => {
    expect(importsOf('gateway/request/unmatched.ts').map(({ target }) => target)).toContain(
      'contracts/route-table.ts',
    )
    expect(partOf('gateway/adapters/billing-stripe/client.ts')).toBe('gateway')
    expect(partOf('migration/model/route-scope.ts')).toBe('migration/model')
    expect(permits('drizzle-orm', 'drizzle-orm/pg-core')).toBe(true)
    expect(permits('node:', 'node:http')).toBe(true)
    expect(permits('hono', 'hono-other')).toBe(false)
  })

  it('cover every production folder', () => {
    const unruled = files.filter(
      (file) => /^(?!test\/|dev\/|scripts\/).+\//.test(file) && partOf(file) === null,
    )
    expect(unruled).toEqual([])
  })
})

describe('the source files', () => {
  it('have no import cycles, except among type imports', () => {
    expect(findCycles()).toEqual([])
  })

  // A bundle replaces only files that are imported by their name in package.json's `imports`. A relative path would
  // still lead to the original file.
  it('never use a relative path to import a file that a bundle replaces', () => {
    const replaced = Object.entries(packageImports).flatMap(([specifier, target]) =>
      typeof target === 'string' ? [] : [specifier.slice(1)],
    )
    expect(replaced).toContain('shared/run-time-files.ts')
    const strays = files
      .filter((file) => partOf(file) !== null)
      .flatMap((file) =>
        [...readFileSync(join(root, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => ({
          file,
          target: join(dirname(file), path),
        })),
      )
      .filter(({ target }) => replaced.includes(target))
    expect(strays.map(format)).toEqual([])
  })
})

describe('the code for Workers', () => {
  it('depends only on Node modules that nodejs_compat provides', () => {
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
    // `nodejs_compat` provides these.
    expect([...loaded].filter((one) => one.startsWith('node:')).sort()).toEqual([
      'node:async_hooks',
      'node:crypto',
      'node:timers/promises',
    ])
  })
})
