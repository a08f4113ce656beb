import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { documentedFaults } from '#test/faults/observe-fault.ts'
import { root } from './source-files.ts'

const readPage = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')

it.each(acceptedDifferences.map((entry) => [`${entry.label} ${entry.path}`, entry] as const))(
  'the page for client developers names the accepted difference %s',
  (_, { label, path }) => {
    const shown = label === '*' ? path.split('.').at(-1) : label
    expect(readPage('while-the-core-serves.md')).toContain(`\`${shown}\``)
  },
)

// A paragraph that ends with a link to a file, and the code block below it.
const quotation = /\]\(([^)]+\.ts)\):\n\n```ts\n([\s\S]*?)```/g

it('code that a page quotes from a file matches the file', () => {
  const quotations = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...readPage(name).matchAll(quotation)])
  expect(quotations).not.toEqual([])
  for (const [, file = '', code = ''] of quotations)
    expect(readFileSync(join(root, normalize(join('docs', file))), 'utf8')).toContain(code)
})

it('patches that a page tells the reader to apply still apply', () => {
  const patches = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...readPage(name).matchAll(/<<'EOF'\n(--- a\/[\s\S]*?\n)EOF\n/g)])
  expect(patches).not.toEqual([])
  for (const [, patch = ''] of patches)
    execFileSync('git', ['apply', '--check'], { cwd: root, input: patch, stdio: ['pipe', 'pipe', 'pipe'] })
})

describe('docs/resilience.md', () => {
  const folder = join(root, 'test/faults')
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')

  it('has a test for each fault', () => {
    expect(documentedFaults.size).toBeGreaterThan(20)
    for (const name of documentedFaults.keys()) {
      const title = name.includes("'") ? `"${name}"` : `'${name}'`
      expect(sources.split(title), name).toHaveLength(2)
    }
  })
})
