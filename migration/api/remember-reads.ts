import QuickLRU from 'quick-lru'

const maxRemembered = 200

/** How old evidence may be for a client that accepts older results. An open page reads it every second. */
export const evidenceMaxAgeMs = 14_000

/** Whether a client accepts recently read evidence (RFC 9111, section 5.2.1.1). */
export const acceptsRemembered = (cacheControl: string | undefined) =>
  Number(/(?:^|[\s,])max-age=(\d{1,9})/.exec(cacheControl ?? '')?.[1] ?? 0) * 1000 >= evidenceMaxAgeMs

/**
 * Shares the result of reads with the same key for `maxAgeMs`, including while the read is running. A failed read is
 * not remembered. `now` returns milliseconds.
 */
export const rememberReads = <T>(maxAgeMs: number, now: () => number) => {
  const remembered = new QuickLRU<string, { readonly at: number; readonly result: Promise<T> }>({
    maxSize: maxRemembered,
  })
  return (key: string, read: () => Promise<T>): Promise<T> => {
    const known = remembered.get(key)
    const ageMs = known ? now() - known.at : maxAgeMs
    // The clock may have been set back.
    if (known && ageMs >= 0 && ageMs < maxAgeMs) return known.result
    const result = read()
    const added = { at: now(), result }
    remembered.set(key, added)
    result.catch(() => {
      if (remembered.get(key) === added) remembered.delete(key)
    })
    return result
  }
}
