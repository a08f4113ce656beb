// Enough for the visitors of several minutes; beyond that, the oldest entries are evicted.
const maxKeys = 50_000

/** Adds or moves an entry to the end, so that the oldest entries are evicted first. */
export const putBounded = <V>(entries: Map<string, V>, key: string, value: V) => {
  entries.delete(key)
  const [oldest] = entries.keys()
  if (entries.size >= maxKeys && oldest !== undefined) entries.delete(oldest)
  entries.set(key, value)
}
