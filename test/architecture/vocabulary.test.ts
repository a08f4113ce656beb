import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './source-files.ts'
import { type BannedTerm, bannedTerms } from './vocabulary.ts'

// Migrations that were applied do not change, the lists below name what they ban, and the types of the client repeat texts
// of other files.
const exempt =
  /^(?:db\/migrations\/|package-lock\.json$|packages\/client\/src\/schema\.ts$|bench\/peers\/|test\/architecture\/vocabulary|docs\/glossary\.md$)/

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => /\.(?:ts|mjs|md|toml|json|sh|lua|html)$|^\.ci\/run$/.test(file))
  .filter((file) => !exempt.test(file) && existsSync(join(root, file)))

/** A line as words in lower case: `errorAnswer` and `error-answer` are `error answer`. */
const toWords = (line: string) =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()

const findBanned = (file: string, text: string) =>
  text.split('\n').flatMap((line, index) => {
    const words = toWords(line)
    const isFound = ({ term, allowed = [], exceptIn }: BannedTerm) =>
      !exceptIn?.test(file) &&
      term.test(words) &&
      term.test(toWords(allowed.reduce((rest, literal) => rest.replaceAll(literal, ''), line)))
    return bannedTerms
      .filter(isFound)
      .map(({ term, instead }) => `${file}:${index + 1} ${term.source}, instead: ${instead}`)
  })

describe('the vocabulary', () => {
  it('finds banned terms in prose and in identifiers', () => {
    expect(findBanned('a.ts', 'const errorAnswer = 1\n// Nobody settles it')).toHaveLength(3)
    expect(findBanned('a.ts', 'await Promise.allSettled([])\nconst timestamp = 1')).toEqual([])
  })

  it('is kept by every file', () => {
    expect(files.length).toBeGreaterThan(900)
    expect(files.flatMap((file) => findBanned(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
  })
})
