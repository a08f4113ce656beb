/** A position in a queue, with which its value can be removed from the middle. */
export interface QueueEntry<T> {
  /** Null once it has left the queue. */
  value: T | null
  previous: QueueEntry<T> | null
  next: QueueEntry<T> | null
}

/** A first-in-first-out queue from which any entry is removed in constant time. */
export class LinkedQueue<T> {
  first: QueueEntry<T> | null = null
  #last: QueueEntry<T> | null = null

  push(value: T): QueueEntry<T> {
    const entry: QueueEntry<T> = { value, previous: this.#last, next: null }
    if (this.#last) this.#last.next = entry
    else this.first = entry
    this.#last = entry
    return entry
  }

  /** The entry must be in this queue. */
  remove(entry: QueueEntry<T>) {
    const { previous, next } = entry
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.#last = previous
    // The garbage collector moves an entry that has waited for long to the old generation, where it remains until a full
    // collection; V8 may even create entries there. One that still referred to its request, or to the next entry and with
    // it to the next one of that, would keep all of these, so that no request would be freed while it is young.
    entry.value = null
    entry.previous = null
    entry.next = null
  }
}
