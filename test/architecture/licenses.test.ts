import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { findForbiddenPackages } from './licenses.ts'

describe('the licence check', () => {
  it('accepts every production package', async () => {
    const lockFile = JSON.parse(await readFile('package-lock.json', 'utf8'))
    expect(Object.keys(lockFile.packages).length).toBeGreaterThan(50)
    expect(findForbiddenPackages(lockFile.packages)).toEqual([])
  })

  const found = (license: string | undefined, name = 'some-package') =>
    findForbiddenPackages({
      '': { license: 'UNLICENSED' },
      [`node_modules/${name}`]: license ? { license } : {},
    })

  it.each(['MIT', '(MIT OR CC0-1.0)', '(GPL-2.0-only OR MIT)', '(MIT AND ISC)'])('accepts %s', (license) => {
    expect(found(license)).toEqual([])
  })

  it.each([
    'GPL-2.0',
    'LGPL-2.1-or-later',
    '(MIT AND GPL-2.0-only)',
    '(GPL-2.0-only OR LGPL-3.0-only)',
    'MPL-2.0',
    'SEE LICENSE IN LICENSE.txt',
    undefined,
  ])('rejects %s', (license) => {
    expect(found(license)).toEqual([`some-package: ${license ?? 'no licence'}`])
  })

  it('rejects a package that contains compiled code under a forbidden licence, whatever it declares', () => {
    expect(found('MIT', '@scope/a/node_modules/mpg123-decoder')).toEqual(['mpg123-decoder: LGPL-2.1-only'])
  })

  it('ignores development packages', () => {
    expect(findForbiddenPackages({ 'node_modules/a': { dev: true, license: 'GPL-3.0-only' } })).toEqual([])
  })
})
