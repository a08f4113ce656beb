import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/decisions/0070-safety-properties.md'), 'utf8')
const named = [...page.matchAll(/^- `(?<file>test\/[^`]+)`: (?<title>.+)$/gm)].map(({ groups }) => ({
  file: groups?.file ?? '',
  title: groups?.title ?? '',
}))

it('the safety properties page names tests for each property', () => {
  for (const property of page.split(/^\*\*/m).slice(1)) expect(property).toMatch(/^- `test\//m)
})

it.each(named)('the test "$title" exists', ({ file, title }) => {
  const path = join(root, file)
  expect(existsSync(path) && readFileSync(path, 'utf8').includes(title)).toBe(true)
})
