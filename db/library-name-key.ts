/**
 * A library's name in the form in which names are compared: independent of case and of Unicode composition.
 * Lower case alone would distinguish `Straße` from `STRASSE` and a final sigma from any other, upper case alone `ẞ`
 * from `ß`. A change of case can decompose characters, hence the second normalization, and the first one can leave a
 * space at the start.
 */
export const libraryNameKey = (name: string) =>
  name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC').trim()
