export class ReadOnlyViolation extends Error {
  override name = 'ReadOnlyViolation'
}

// Quoted text, including any doubled quotes in it, is one token. Any other kind of quoting is rejected below.
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[a-z_\u0080-\uffff][\w\u0080-\uffff]*|\$\d+|--|\/\*|\S/gi

const readingStarts = new Set(['select', 'with'])

// A WITH that deletes rows, SELECT INTO and SELECT FOR UPDATE, for example, start like a read.
const writingWords = new Set(['insert', 'update', 'delete', 'merge', 'into'])

// Comments, dollar quotes, escape strings and unterminated quotes could hide any of these words from this scan.
const opaque = new Set(['--', '/*', '$', "'", '"', '\\', ';'])
const lockingWords = new Set(['no', 'share', 'key'])

/**
 * Returns the first part of a statement that shows that it changes or locks data, or might do so; null for a read. Does
 * not detect functions that change data, such as `nextval`.
 */
export const findViolation = (text: string): string | null => {
  let previous = ''
  let hasBegun = false
  for (const [token] of text.matchAll(tokens)) {
    const word = token.toLowerCase()
    if (opaque.has(word) || writingWords.has(word)) return word
    if (previous === 'for' && lockingWords.has(word)) return `for ${word}`
    if (previous === 'e' && token.startsWith("'")) return "e'"
    if (!hasBegun && word !== '(') {
      if (!readingStarts.has(word)) return word
      hasBegun = true
    }
    previous = word
  }
  return hasBegun ? null : 'an empty statement'
}

export const rejectWrite = async (): Promise<never> => {
  throw new ReadOnlyViolation('a reader can only select; use a transaction')
}
