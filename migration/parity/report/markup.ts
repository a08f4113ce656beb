/**
 * Replaces the characters that HTML and XML 1.0 forbid even when escaped: most control characters, lone surrogates,
 * U+FFFE and U+FFFF.
 */
export const replaceForbidden = (text: string) =>
  Array.from(text.toWellFormed(), (character) =>
    (character < ' ' && !'\t\n\r'.includes(character)) || character === '\ufffe' || character === '\uffff'
      ? '\ufffd'
      : character,
  ).join('')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for use in an XML element or in a quoted attribute. */
export const escapeMarkup = (text: string) =>
  replaceForbidden(text).replace(/[&<>"']/g, (character) => entities[character] ?? '')
