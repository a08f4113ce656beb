const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes bytes as UTF-8; null if encoding the text would not return the same bytes. Libraries that verify signatures
 * take text, and lenient decoding would let them verify other bytes than those received.
 */
export const decodeExactUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}
