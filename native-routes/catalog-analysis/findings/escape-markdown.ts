// Letters, digits, spaces and punctuation without a meaning in Markdown or HTML stay; `_` has one.
const unsafe = /[^\p{L}\p{M}\p{N} ,;'’"“”–…?%&@=$^/+]/gu

/**
 * Text of a user as literal text of Markdown, on one line. Every other character becomes a numeric character reference,
 * which CommonMark never interprets as markup, and which HTML shows as the character.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(unsafe, (character) => `&#${character.codePointAt(0)};`)
