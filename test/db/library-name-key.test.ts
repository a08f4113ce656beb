import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { libraryNameKey } from '#db/library-name-key.ts'

describe('libraryNameKey', () => {
  it('returns the same key for a name in any letter case and Unicode form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const key = libraryNameKey(name)
        expect(libraryNameKey(name.toUpperCase())).toBe(key)
        expect(libraryNameKey(name.toLowerCase())).toBe(key)
        expect(libraryNameKey(name.normalize('NFD'))).toBe(key)
      }),
    )
  })

  it.each(['Straße', 'ŉ', 'ǰ', 'ΐ', 'ẞ', 'ΟΔΟΣ', 'İ', 'ﬁ', 'և'])('ignores the case of %s', (name) => {
    for (const spelling of [name.toUpperCase(), name.toLowerCase(), name.normalize('NFD')])
      expect(libraryNameKey(spelling)).toBe(libraryNameKey(name))
  })

  it('returns different keys for names that differ in other ways', () => {
    expect(libraryNameKey('Cafe')).not.toBe(libraryNameKey('Café'))
    expect(libraryNameKey('Demos 1')).not.toBe(libraryNameKey('Demos 2'))
  })
})
