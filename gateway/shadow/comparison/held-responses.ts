const maxHeld = 16
const ttlMs = 10_000

/** Keeps the newest 16 values, each for ten seconds. */
export class HeldResponses<T> {
  readonly #held = new Map<string, { readonly value: T; readonly timer: NodeJS.Timeout }>()

  hold(id: string, value: T) {
    this.take(id)
    const [oldest] = this.#held.keys()
    if (this.#held.size >= maxHeld && oldest !== undefined) this.take(oldest)
    const timer = setTimeout(() => this.#held.delete(id), ttlMs).unref()
    this.#held.set(id, { value, timer })
  }

  /** Removes and returns a value; null if there is none. */
  take(id: string): T | null {
    const held = this.#held.get(id)
    if (!held) return null
    clearTimeout(held.timer)
    this.#held.delete(id)
    return held.value
  }
}
