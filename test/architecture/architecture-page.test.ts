import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { files, root } from './source-files.ts'

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

/** The paths in backquotes: what begins with a folder of this repository. */
const namedPaths = () => {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const tops = folders.map(({ name }) => name)
  return [...page.matchAll(/`([^`\s]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => tops.includes(path.split('/', 1)[0] ?? '') && !path.includes('<'))
}

it('docs/architecture.md names only paths that exist', () => {
  expect(namedPaths()).toContain('gateway/node/listener.ts')
  expect(namedPaths().filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('docs/architecture.md names every folder of the tree down to the areas', () => {
  const isDetailed = (path: string) => /^(?:db|proxy|gateway)\//.test(path)
  const folders = new Set<string>()
  for (const file of files) {
    const [top = '', second = ''] = file.split('/')
    if (file.includes('/')) folders.add(top)
    if (isDetailed(file) && file.split('/').length > 2) folders.add(`${top}/${second}`)
  }
  const named = new Set(namedPaths())
  expect([...folders].filter((folder) => !named.has(folder))).toEqual([])
})

it('docs/architecture.svg is the picture of the page', () => {
  expect(page).toContain('(architecture.svg)')
  expect(readFileSync(join(root, 'docs/architecture.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\s*$/)
})
