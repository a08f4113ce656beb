export class KeyCounts {
  readonly #counts = new Map<string, number>()

  get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string, change: number) {
    const count = this.get(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

interface Usage {
  readonly own: number
  readonly used: number
  readonly capacity: number
}

/**
 * The dynamic threshold of Choudhury and Hahne (IEEE/ACM Transactions on Networking 6(2), 1998). While at most half of
 * the capacity is used, there are no shares. Beyond that, no key may have more than `factor` times what is free.
 */
export const isWithinShare = ({ own, used, capacity }: Usage, amount: number, factor: number): boolean =>
  used + amount <= capacity / 2 || own + amount <= (capacity - used) * factor

// A client over its share is reported only if it has more than this fraction of what is used. Otherwise it is just one
// of several large clients.
const dominantFraction = 0.8

export class FairShares {
  readonly capacity: number
  used = 0
  readonly #counts = new KeyCounts()
  readonly #onDominant: () => void

  constructor(capacity: number, onDominant: () => void = () => {}) {
    this.capacity = capacity
    this.#onDominant = onDominant
  }

  admits(key: string, amount = 1): boolean {
    const { used, capacity } = this
    const own = this.#counts.get(key)
    if (isWithinShare({ own, used, capacity }, amount, 1)) return true
    if (own > used * dominantFraction) this.#onDominant()
    return false
  }

  /** Whether any key may take one more unit: shares apply only beyond half of the capacity. */
  get admitsAnyKey(): boolean {
    return this.used + 1 <= this.capacity / 2
  }

  usedBy(key: string): number {
    return this.#counts.get(key)
  }

  acquire(key: string, amount = 1) {
    this.used += amount
    this.#counts.add(key, amount)
  }

  release(key: string, amount = 1) {
    this.acquire(key, -amount)
  }
}
