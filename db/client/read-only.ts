import type { Client } from './driver-client.ts'

/** A statement that may change something, or that cannot be told not to, was to be run as a read. */
class ReadOnlyViolation extends Error {
  override name = 'ReadOnlyViolation'
}

// Quoted text counts as one token. Quotes are doubled within themselves; what quotes in any other way is refused below.
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[a-z_\u0080-\uffff][\w\u0080-\uffff]*|\$\d+|--|\/\*|\S/gi

const readingStarts = new Set(['select', 'with'])

// A data-changing WITH query, SELECT INTO and FOR UPDATE are what begins like a read and is none.
const writingWords = new Set(['insert', 'update', 'delete', 'merge', 'into'])

// Comments, dollar quotes, escape strings and quotes without an end could hide any of these from this scan.
const opaque = new Set(['--', '/*', '$', "'", '"', '\\', ';'])
const lockingWords = new Set(['no', 'share', 'key'])

const faultIn = (text: string): string | null => {
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

const rememberedTexts = 1000
const reads = new Set<string>()

// The texts of a service are few, save for those of lists of any length.
const requireRead = (text: string) => {
  if (reads.has(text)) return
  const fault = faultIn(text)
  if (fault !== null) throw new ReadOnlyViolation(`a read must not contain "${fault}"; use a transaction`)
  if (reads.size >= rememberedTexts) reads.clear()
  reads.add(text)
}

/** Refuses whatever else drizzle offers on a database. */
export const rejectNonRead = async (): Promise<never> => {
  throw new ReadOnlyViolation('a reader only selects; use a transaction')
}

/**
 * A client that sends reads and throws for any other statement before it is sent. It goes by the text: a function that
 * changes data, such as `nextval`, is not recognized.
 */
export const asReadOnly = ({ options, unsafe }: Client): Client => ({
  options,
  unsafe: (text, parameters) => {
    requireRead(text)
    return unsafe(text, parameters)
  },
  begin: rejectNonRead,
})
