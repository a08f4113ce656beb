const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of these bytes, from which exactly these bytes can be made again; null where there is none. The libraries
 * that check signatures want text, and by themselves would take bytes that are no UTF-8 for other bytes.
 */
export const decodeExactUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}
