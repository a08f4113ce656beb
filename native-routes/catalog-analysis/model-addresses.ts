const removedAddress = '(address removed)'

/** Scripts written without spaces, such as Chinese, Japanese and Thai, for a regular expression with the flag `u`. */
export const unspaced =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'

// excludes the placeholder for a citation
const labelCharacter = '[a-z0-9_-]|[^\\x00-\\x7f\\ue000]'
const label = `(?:${labelCharacter})+`
// Excludes digits, which belong to a number, and unspaced scripts, because a new sentence may directly follow a full
// stop there.
const topLevel = `(?:xn--[a-z0-9-]+|(?:(?![${unspaced}])[\\p{L}\\p{M}]){2,})`
const number = '(?:0x[0-9a-f]+|[0-9]+)'
const host = [
  `(?<!${labelCharacter})${label}(?:\\.${label})*\\.${topLevel}\\.?`,
  `${number}(?:\\.${number}){3}\\.?`,
  '\\[[0-9a-f:.]{2,45}\\]',
  'localhost',
].join('|')
// Addresses that clients turn into links: with a scheme, `www.`, a port, a path or a query. Anything else with dots is
// taken for the name of a file or an artist.
const address = `(?:(?:[a-z][a-z0-9+.-]*:)?\\/\\/|www\\.|(?:${host})(?::[0-9]|:?[/?\\\\]))\\S*`
const addresses = new RegExp(address, 'giu')
const firstAddress = new RegExp(address, 'iu')

const beyondAscii = /[^\p{ASCII}]/u
const invisible = /\p{Default_Ignorable_Code_Point}/gu
const isBesideUnspaced = `(?<=[${unspaced}])|(?=.[${unspaced}])`
const ideographicStop = new RegExp(`(?!${isBesideUnspaced})\u3002`, 'gu')

// Maps like IDNA (UTS 46), so `ｅｖｉｌ．ｔｅｓｔ` is found. The ideographic full stop counts as a dot, except next to a script
// that ends sentences with it.
const mapAsHost = (text: string) =>
  text.replace(invisible, '').normalize('NFKC').replace(ideographicStop, '.')

const hasMappedAddress = (text: string) =>
  beyondAscii.test(text) && mapAsHost(text).search(firstAddress) !== -1

/**
 * Replaces the addresses in a word, or the whole word if it contains a disguised one. `before` is the text directly in
 * front of the word, with no space in between. A host may begin in `before`, which stays at the start of the result.
 */
export const removeAddresses = (before: string, word: string): string => {
  const removed = `${before}${word}`.replace(addresses, (_, at: number) =>
    at < before.length ? `${before}${removedAddress}` : removedAddress,
  )
  return hasMappedAddress(removed) ? `${before}${removedAddress}` : removed
}
