/** Tells whether a client wrote the same resource again. */
export interface LaterWrites {
  /** Called when a client begins a write, and again when the write has ended. */
  note(client: string | null, path: string): void
  /**
   * Watches for writes. The returned function ends the watch and returns whether a path with one of these ids was
   * written.
   */
  watch(client: string | null, ids: readonly string[]): () => boolean
}

interface Watch {
  readonly ids: readonly string[]
  isWrittenAgain: boolean
}

/** Tracks this instance's writes while they are watched. Forgets a client once its last watch has ended. */
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
