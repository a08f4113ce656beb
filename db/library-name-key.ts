/**
 * A library's name as names are compared: alike whatever their case and however Unicode composes them.
 * Lower case alone would tell `Straße` from `STRASSE` and a final sigma from any other, upper case alone `ẞ` from
 * `ß`. A change of case can take composed characters apart, hence the second normalisation, and the first can
 * leave a space at the front.
 */
export const libraryNameKey = (name: string) =>
  name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC').trim()
