import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { slowProofs } from '../../vitest.config.ts'

const root = join(import.meta.dirname, '../..')

// Code that reads the date or calculates with it. A test that only measures a duration does not depend on the date.
const readsClock = [
  /new Date\(\)/,
  /Date\.now\(\) *[-+]|Date\(Date\.now/,
  /Date\.UTC|setSystemTime/,
  /\b(current_date|date_trunc)\b/,
  /\b(now\(\)|(statement|clock)_timestamp\(\)|current_timestamp)[^\n]*\binterval\b/,
]

const relativeImport = /from '(\.{1,2}\/[^']+\.ts)'/g

// Also reads the modules that a test imports by a relative path, so not those in test/support, which most tests import.
const readWithHelpers = (file: string, known = new Set<string>()): string => {
  // If the file is missing, its import is in a string that the test writes to a file elsewhere.
  if (known.has(file) || !existsSync(join(root, file))) return ''
  known.add(file)
  const text = readFileSync(join(root, file), 'utf8')
  const helpers = [...text.matchAll(relativeImport)].map(([, path = '']) => join(dirname(file), path))
  return [
    text,
    ...helpers.filter((path) => path.startsWith('test/')).map((path) => readWithHelpers(path, known)),
  ].join('\n')
}

/** Tests that read the clock but do not run on other dates, each with the reason. */
export const excludedTests: Readonly<Record<string, string>> = {
  'test/native-routes/catalog-analysis/injections/injections.test.ts':
    'takes as long as half of the others together, and reads the clock only to revoke a link',
}

export const listClockTests = (): readonly string[] =>
  globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => relative(root, join(root, path)))
    .filter((path) => !slowProofs.includes(path) && readsClock.some((use) => use.test(readWithHelpers(path))))
    .toSorted()
