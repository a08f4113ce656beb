/** Replaces what neither HTML nor XML 1.0 can contain: most control characters and half a surrogate pair. */
export const replaceUnwritable = (text: string) =>
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

/** Escapes text for an element or a quoted attribute of XML. */
export const escapeMarkup = (text: string) =>
  replaceUnwritable(text).replace(/[&<>"']/g, (character) => entities[character] ?? '')
