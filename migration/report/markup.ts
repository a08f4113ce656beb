// Neither HTML nor XML 1.0 has a way to write most control characters or half a surrogate pair.
const writable = (text: string) =>
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

/** Text as it may stand in an element or a quoted attribute, in HTML and XML alike. */
export const escapeMarkup = (text: string) =>
  writable(text).replace(/[&<>"']/g, (character) => entities[character] ?? '')
