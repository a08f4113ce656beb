interface Entry<T> {
  readonly id: string
  readonly tally: T
  changes: number
  savedChanges: number
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

export type DailyTallies<T> = ReturnType<typeof createDailyTallies<T>>

/** Counts what happens on each day (UTC), by id. */
export const createDailyTallies = <T>(create: () => T) => {
  // Unknown until the database's clock has been read.
  let day: string | null = null
  let current = new Map<string, Entry<T>>()
  let closed: readonly { readonly day: string; readonly entry: Entry<T> }[] = []

  const advance = (today: string) => {
    // If the clock was set back, an ended day is not opened again.
    if (day !== null && today > day) {
      const ended = day
      const entries = [...current.values()].map((entry) => ({ day: ended, entry }))
      closed = [...closed, ...entries].slice(-maxClosed)
      current = new Map()
    }
    day = day === null || today > day ? today : day
    return day
  }

  return {
    /** Returns the current day's tally, which the caller may change; null if there are too many ids. */
    change(id: string): T | null {
      const known = current.get(id)
      if (known) {
        known.changes += 1
        return known.tally
      }
      if (current.size >= maxIds) return null
      const tally = create()
      current.set(id, { id, tally, changes: 1, savedChanges: 0 })
      return tally
    },

    /** Counts made between two calls belong to the day of the first call. If `save` rejects, nothing is lost. */
    async write(today: string, save: (rows: readonly DayRow<T>[]) => Promise<void>) {
      const currentDay = advance(today)
      const ended = closed
      const open = [...current.values()].map((entry) => ({ day: currentDay, entry }))
      const changed = [...ended, ...open]
        .filter(({ entry }) => entry.changes > entry.savedChanges)
        .map((row) => ({ ...row, changes: row.entry.changes }))
      if (changed.length > 0)
        await save(changed.map(({ day: ofDay, entry: { id, tally } }) => ({ id, day: ofDay, tally })))
      for (const { entry, changes } of changed) entry.savedChanges = changes
      closed = closed.filter((row) => !ended.includes(row))
    },
  }
}
