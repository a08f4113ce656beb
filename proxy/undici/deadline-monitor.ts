/** Something that has to move on before its deadline. */
export interface MonitoredRequest {
  /** On the clock of `performance.now()`. */
  deadline: number
  /** Where it stands in the list of its watch, which alone writes it; -1 outside. */
  place: number
  expire(): void
}

export interface DeadlineMonitor {
  add(watched: MonitoredRequest): void
  delete(watched: MonitoredRequest): void
}

/**
 * Expires what missed its deadline, at most `granularityMs` late. One timer serves every exchange: moving a deadline
 * is an assignment, where a timer each would be made and cancelled several times a request. An array, because the
 * dead tables that a busy Set leaves behind keep half of all exchanges alive until a full collection.
 */
export const createDeadlineMonitor = (granularityMs: number): DeadlineMonitor => {
  const active: MonitoredRequest[] = []
  let timer: ReturnType<typeof setInterval> | null = null

  // Backwards, because what leaves the list is replaced by its last.
  const sweep = () => {
    const now = performance.now()
    for (let place = active.length - 1; place >= 0; place--) {
      const one = active[place]
      if (one && one.deadline <= now) one.expire()
    }
    if (active.length > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  return {
    add(one) {
      one.place = active.push(one) - 1
      timer ??= setInterval(sweep, granularityMs).unref()
    },
    delete(one) {
      if (one.place < 0) return
      const last = active.pop()
      if (last && last !== one) {
        active[one.place] = last
        last.place = one.place
      }
      one.place = -1
    },
  }
}
