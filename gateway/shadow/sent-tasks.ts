interface SentTask<Task> {
  readonly task: Task
  readonly timer: NodeJS.Timeout
}

/** The tasks that a child process has, each with a deadline of its own. */
export class SentTasks<Task> {
  readonly #timeoutMs: number
  readonly #onTimeout: () => void
  readonly #sent = new Map<number, SentTask<Task>>()

  constructor(timeoutMs: number, onTimeout: () => void) {
    this.#timeoutMs = timeoutMs
    this.#onTimeout = onTimeout
  }

  get size() {
    return this.#sent.size
  }

  add(id: number, task: Task) {
    const timer = setTimeout(
      () =>
        // After the results that have arrived while this process itself was busy.
        setImmediate(() => {
          if (this.#sent.has(id)) this.#onTimeout()
        }),
      this.#timeoutMs,
    ).unref()
    this.#sent.set(id, { task, timer })
  }

  /** The task with this id; null if there is none. */
  get(id: number): { readonly task: Task } | null {
    return this.#sent.get(id) ?? null
  }

  delete(id: number) {
    clearTimeout(this.#sent.get(id)?.timer)
    this.#sent.delete(id)
  }

  /** Removes and returns all. */
  clear(): Task[] {
    const all = [...this.#sent.values()]
    this.#sent.clear()
    for (const { timer } of all) clearTimeout(timer)
    return all.map(({ task }) => task)
  }
}
