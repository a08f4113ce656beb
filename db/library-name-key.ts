/**
 * Normalizes a library's name for comparisons that ignore case and Unicode composition. Lower case alone would
 * distinguish `Straße` from `STRASSE`, and upper case alone `ẞ` from `ß`. Applies NFKC twice, because changing case can
 * decompose characters.
 */
export const libraryNameKey = (name: string) =>
  name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC').trim()
