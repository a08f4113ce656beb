interface CacheOptions {
  /** Entries a generation holds before it becomes the old one. */
  readonly size: number
  /** The longest an entry is remembered. */
  readonly ageMs: number
  readonly now: () => number
}

interface Entry<V> {
  readonly value: V
  readonly until: number
}

/**
 * A bounded cache whose reads never move an entry around: new entries go to the young generation, and when that
 * is full the old one is dropped whole. An entry that is read in its old generation is kept by copying it over.
 */
export const createTwoGenerationCache = <V>({ size, ageMs, now }: CacheOptions) => {
  let young = new Map<string, Entry<V>>()
  let old = new Map<string, Entry<V>>()

  const keep = (key: string, entry: Entry<V>) => {
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
      if (!entry || entry.until <= now()) return undefined
      if (!fresh) keep(key, entry)
      return entry.value
    },
    set(key: string, value: V) {
      keep(key, { value, until: now() + ageMs })
    },
  }
}
