import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const threats = page
  .slice(page.indexOf('## Threats'), page.indexOf('## Limits'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| asset'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

describe('the threats in SECURITY.md', () => {
  it.each(threats)('%s%s, %s: names tests that exist', (_, _asset, _attack, _defence, tests = '') => {
    const paths = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
