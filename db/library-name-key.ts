/**
 * A library's name as names are compared: alike whatever their case and however Unicode composes them.
 * Lower case alone would tell `Straße` from `STRASSE` and a final sigma from any other; upper case alone would tell
 * `ẞ` from `ß`; both may take composed characters apart, hence the second normalisation.
 */
export const libraryNameKey = (name: string) =>
  name.trim().normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC')
