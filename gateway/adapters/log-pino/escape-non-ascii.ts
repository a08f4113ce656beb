/** Escapes JSON so that it has as many bytes as characters. */
export const escapeNonAscii = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
