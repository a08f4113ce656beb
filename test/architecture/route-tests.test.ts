import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { routeTable } from '#contracts/route-table.ts'
import { files, root } from './source-files.ts'

const withoutComments = (source: string) => source.replaceAll(/^\s*\/\/.*$/gm, '')

const isNamed = (label: string, source: string) =>
  new RegExp(`(?<![\\w.-])${label.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`).test(source)

const findUnnamedLabels = (labels: readonly string[], sources: readonly string[]) => {
  const code = sources.map(withoutComments)
  return labels
    .filter((label) => !code.some((source) => isNamed(label, source)))
    .map((label) => `no test in test/native-routes/ names ${label}, which is served natively`)
}

const nativeLabels = Object.entries(routeTable)
  .filter(([, [, , , runtime]]) => runtime !== 'proxy')
  .map(([label]) => label)

it('every route that is served natively is named by one of its tests', () => {
  const tests = files.filter((file) => /^test\/native-routes\/.*\.test\.ts$/.test(file))
  const sources = tests.map((file) => readFileSync(join(root, file), 'utf8'))
  expect(findUnnamedLabels(nativeLabels, sources)).toEqual([])
})

it('a longer label, a path or a comment names no route', () => {
  const source = "describe('public.packs.list and packs.list.all at /packs.lists')\n// packs.list"
  const finding = 'no test in test/native-routes/ names packs.list, which is served natively'
  expect(findUnnamedLabels(['packs.list'], [source])).toEqual([finding])
  expect(findUnnamedLabels(['packs.list'], [source, "describe('packs.list, sorted')"])).toEqual([])
})
