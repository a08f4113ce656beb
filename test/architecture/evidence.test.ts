import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { commentLines, readImports } from '#migration/evidence-keys/import-closure.ts'
import { files, isWithin, root } from './source-files.ts'

const folders = ['bin', 'contracts', 'db', 'gateway', 'jobs', 'migration', 'native-routes', 'proxy', 'shared']
const sources = files.filter((file) => folders.some((folder) => isWithin(file, folder)))

// The import reader uses a lexer for JavaScript, but these files are TypeScript. If it overlooked an import, evidence
// keys would not cover the imported file. If it could not parse a file, the gateway would not start.
it('the import reader finds exactly the imports that remain once types are stripped', () => {
  const misread = sources.filter((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const expected = readImports(stripTypeScriptTypes(source), file)
    return readImports(source, file).join() !== expected.join()
  })
  expect(sources).toContain('contracts/shared/response-headers.ts')
  expect(misread).toEqual([])
})

// Evidence keys ignore comments, so code must never be mistaken for a comment. The test leaves out pages: no evidence
// key covers them, and their scripts contain lines that only look like comments.
it('evidence keys ignore only comments', () => {
  const mistaken = sources
    .filter((file) => !isWithin(file, 'gateway/pages'))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8')
      const { comments } = parseSync(file, source)
      const isComment = (start: number, end: number) =>
        comments.some((comment) => comment.start <= start && comment.end >= end)
      return [...source.matchAll(commentLines)]
        .filter(({ index, 0: text }) => !isComment(index + text.search(/\S/), index + text.trimEnd().length))
        .map(({ 0: text }) => `${file}: ${text}`)
    })
  expect(mistaken).toEqual([])
})
