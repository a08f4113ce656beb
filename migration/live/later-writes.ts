/** Tells whether what a client has written was written again by it. */
export interface LaterWrites {
  /** A client begins to write, or has written. */
  note(client: string | null, path: string): void
  /** Returns a function that ends the watch: whether a path with one of these ids was written meanwhile. */
  watch(client: string | null, ids: readonly string[]): () => boolean
}

interface Watch {
  readonly ids: readonly string[]
  isWrittenAgain: boolean
}

/** Knows the writes of this instance, while they are watched. What clients are called is not kept. */
export const createLaterWrites = (): LaterWrites => {
  const watches = new Map<string | null, Set<Watch>>()
  return {
    note(client, path) {
      if (watches.size === 0) return
      for (const watch of watches.get(client) ?? [])
        if (watch.ids.some((id) => path.includes(id))) watch.isWrittenAgain = true
    },
    watch(client, ids) {
      const watch = { ids, isWrittenAgain: false }
      const ofClient = watches.get(client) ?? new Set()
      watches.set(client, ofClient.add(watch))
      return () => {
        ofClient.delete(watch)
        if (ofClient.size === 0 && watches.get(client) === ofClient) watches.delete(client)
        return watch.isWrittenAgain
      }
    },
  }
}
