interface Entry<T> {
  readonly tally: T
  changes: number
  savedChanges: number
}

interface ClosedEntry<T> extends Entry<T> {
  readonly id: string
  readonly day: string
}

/** What an instance has counted since the start of the day (UTC), by id. */
export interface DailyTallies<T> {
  /** Returns the current day's tally, which the caller may change; null if there are too many ids. */
  change(id: string): T | null
  /**
   * Passes the tallies that changed since the last save to `save`, with their day. Counts made between two calls belong
   * to the day of the first call. If `save` rejects, this rejects too, and nothing is lost.
   */
  write(today: string, save: (rows: readonly DayRow<T>[]) => Promise<void>): Promise<void>
}

interface DayRow<T> {
  readonly id: string
  readonly day: string
  readonly tally: T
}

/** Twice the number of routes. */
const maxIds = 200
/** The maximum number of unsaved tallies kept while the database is down, over all days. */
const maxClosed = 1000

export const createDailyTallies = <T>(create: () => T): DailyTallies<T> => {
  // Unknown until the database's clock has been read.
  let day: string | null = null
  let current = new Map<string, Entry<T>>()
  let closed: readonly ClosedEntry<T>[] = []

  const advance = (today: string) => {
    // If the clock was set back, an ended day is not opened again.
    if (day !== null && today > day) {
      const ended = day
      const entries = [...current].map(([id, entry]) => ({ ...entry, id, day: ended }))
      closed = [...closed, ...entries].slice(-maxClosed)
      current = new Map()
    }
    day = day === null || today > day ? today : day
    return day
  }

  return {
    change(id) {
      const known = current.get(id)
      if (known) {
        known.changes += 1
        return known.tally
      }
      if (current.size >= maxIds) return null
      const tally = create()
      current.set(id, { tally, changes: 1, savedChanges: 0 })
      return tally
    },

    async write(today, save) {
      const currentDay = advance(today)
      const open = [...current].map(([id, entry]) => ({ id, day: currentDay, entry, changes: entry.changes }))
      const ended = closed
      const changed = [
        ...ended.filter(({ changes, savedChanges }) => changes > savedChanges),
        ...open
          .filter(({ entry, changes }) => changes > entry.savedChanges)
          .map(({ id, day: ofDay, entry }) => ({ id, day: ofDay, tally: entry.tally })),
      ]
      if (changed.length > 0)
        await save(changed.map(({ id, day: ofDay, tally }) => ({ id, day: ofDay, tally })))
      for (const { entry, changes } of open) entry.savedChanges = changes
      closed = closed.filter((entry) => !ended.includes(entry))
    },
  }
}
