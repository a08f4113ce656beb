import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readImports } from '#migration/parity/evidence/read-imports.ts'
import { files, isWithin, root } from './source-files.ts'

const folders = ['bin', 'contracts', 'db', 'gateway', 'jobs', 'migration', 'native-routes', 'proxy', 'shared']
const sources = files.filter((file) => folders.some((folder) => isWithin(file, folder)))

// The lexer reads JavaScript. A file that it reads otherwise than Node does would be missing from evidence keys, and
// one that it cannot read would prevent the gateway from starting.
it('every source has the imports for its evidence key that Node sees without its types', () => {
  const misread = sources.filter((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const expected = readImports(stripTypeScriptTypes(source), file)
    return readImports(source, file).join() !== expected.join()
  })
  expect(sources).toContain('contracts/shared/response-headers.ts')
  expect(misread).toEqual([])
})
