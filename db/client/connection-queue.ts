import { DatabaseUnreachable } from './unreachable.ts'

/** A connection, as far as it matters who uses it next. */
export interface QueuedConnection {
  /** How many reads are on their way. */
  reads: number
  /** When the first of them began or one ended, in milliseconds. */
  movedAt: number
  /** Nobody lines up any more: somebody waits to have it alone. */
  promised: boolean
}

interface ConnectionQueueOptions<L> {
  readonly open: () => L
  readonly size: number
  /** How long to wait for a turn. */
  readonly patienceMs: number
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

interface Waiter<L> {
  readonly arrival: number
  proceed(line: L): void
}

// Behind a read that takes longer nobody lines up.
const slowReadMs = 10
const mostReads = 16

/**
 * Decides who uses which connection when all are busy. A read may line up behind others; whoever needs a connection
 * alone is promised one, which then takes no more reads, while reads go on lining up at the others.
 */
export const createConnectionQueue = <L extends QueuedConnection>(options: ConnectionQueueOptions<L>) => {
  const { open, size, patienceMs, now = () => performance.now() } = options
  const lines = new Set<L>()
  const idle: L[] = []
  const reading = new Set<L>()
  const loners = new Set<Waiter<L>>()
  const readers = new Set<Waiter<L>>()
  let arrivals = 0

  const wait = (queue: Set<Waiter<L>>) =>
    new Promise<L>((resolve, reject) => {
      const waiter: Waiter<L> = {
        arrival: arrivals++,
        proceed(line) {
          clearTimeout(impatience)
          queue.delete(waiter)
          resolve(line)
        },
      }
      const impatience = setTimeout(() => {
        queue.delete(waiter)
        reject(new DatabaseUnreachable(`no connection became free within ${patienceMs} ms`))
      }, patienceMs)
      queue.add(waiter)
    })

  const opened = () => {
    const line = open()
    lines.add(line)
    return line
  }

  const unused = () => idle.pop() ?? (lines.size < size ? opened() : undefined)

  const shortest = (isFit: (line: L) => boolean) => {
    let best: L | undefined
    for (const line of reading)
      if (!line.promised && isFit(line) && line.reads < (best?.reads ?? mostReads)) best = line
    return best
  }

  const joinable = () => {
    const lively = now() - slowReadMs
    return shortest(({ movedAt }) => movedAt > lively)
  }

  const join = (line: L) => {
    if (line.reads === 0) line.movedAt = now()
    line.reads += 1
    reading.add(line)
    return line
  }

  // For where nothing could be promised because all were full, or what was promised has come to a stand.
  const promiseAtLast = (line: L) => {
    if (loners.size === 0) return
    const lively = now() - slowReadMs
    for (const other of reading) if (other.promised && other.movedAt > lively) return
    line.promised = true
  }

  const admitReaders = () => {
    for (const reader of readers) {
      const line = joinable()
      if (!line) return
      reader.proceed(join(line))
    }
  }

  const giveBack = (line: L) => {
    if (!lines.has(line)) return
    line.promised = false
    const [loner] = loners
    const [reader] = readers
    if (reader && !(loner && loner.arrival < reader.arrival)) {
      // Whoever came later and needs it alone must not wait for ever because reads go on lining up.
      line.promised = loner !== undefined
      reader.proceed(join(line))
      admitReaders()
    } else if (loner) loner.proceed(line)
    else idle.push(line)
  }

  return {
    lines,
    /** A connection that nobody else uses. */
    takeAlone(): L | Promise<L> {
      const line = unused()
      if (line) return line
      const next = joinable() ?? shortest(() => true)
      if (next) next.promised = true
      return wait(loners)
    },
    /** A connection for a single read. */
    takeForRead(): L | Promise<L> {
      const line = unused() ?? (readers.size === 0 ? joinable() : undefined)
      return line ? join(line) : wait(readers)
    },
    giveBack,
    /** Ends a read. */
    leave(line: L) {
      line.reads -= 1
      line.movedAt = now()
      if (line.reads === 0) {
        reading.delete(line)
        giveBack(line)
      } else promiseAtLast(line)
      admitReaders()
    },
    /** Gives a connection up; whoever waits is given a new one. False where that has happened already. */
    discard(line: L): boolean {
      if (!lines.delete(line)) return false
      reading.delete(line)
      if (loners.size + readers.size > 0) giveBack(opened())
      return true
    },
  }
}
