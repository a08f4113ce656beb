interface CacheOptions {
  /** The number of entries in the young generation before it becomes the old one. */
  readonly size: number
  /** The time to live of an entry. */
  readonly ageMs: number
  readonly now: () => number
}

interface Entry<V> {
  readonly value: V
  readonly expiresAt: number
}

/**
 * A bounded cache without the cost of reordering entries on each read. New entries go to the young generation. When
 * that is full, it replaces the old generation. An entry that is read from the old generation is copied to the young
 * one.
 */
export const createTwoGenerationCache = <V>({ size, ageMs, now }: CacheOptions) => {
  let young = new Map<string, Entry<V>>()
  let old = new Map<string, Entry<V>>()

  const store = (key: string, entry: Entry<V>) => {
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(key, entry)
  }

  return {
    get(key: string): V | undefined {
      const fresh = young.get(key)
      const entry = fresh ?? old.get(key)
      if (!entry || entry.expiresAt <= now()) return undefined
      if (!fresh) store(key, entry)
      return entry.value
    },
    set(key: string, value: V) {
      store(key, { value, expiresAt: now() + ageMs })
    },
  }
}
