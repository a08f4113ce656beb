/**
 * Returns a library's name for comparison, regardless of case and Unicode composition. Lower case alone would tell
 * `Straße` from `STRASSE`, upper case alone `ẞ` from `ß`. Changing case can decompose characters, so it normalizes
 * twice.
 */
export const libraryNameKey = (name: string) =>
  name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC').trim()
