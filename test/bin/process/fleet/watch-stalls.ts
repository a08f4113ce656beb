import type postgres from 'postgres'

/** A time span in Unix milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

const sampleIntervalMs = 20
/** A shorter pause of an event loop or the database does not count as a stall. */
const minStallMs = 200

export const stallMessage = 'event loop stalled'

/** Calls `onStall` each time the event loop did not run for over 200 ms. Returns a function that stops watching. */
export const watchStalls = (onStall: (stall: Period) => void) => {
  let last = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    if (now - last > minStallMs) onStall({ from: last, to: now })
    last = now
  }, sampleIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

const probeIntervalMs = 50

/**
 * Sends a statement every 50 ms, and calls `onStall` for each one that took over 200 ms. Returns a function that stops
 * sending.
 */
export const watchDatabase = (sql: postgres.Sql, onStall: (stall: Period) => void) => {
  let isProbing = false
  const probe = async () => {
    isProbing = true
    const from = Date.now()
    // The statement fails when the client is closed.
    await sql`select 1`.catch(() => undefined)
    const to = Date.now()
    if (to - from > minStallMs) onStall({ from, to })
    isProbing = false
  }
  const timer = setInterval(() => {
    if (!isProbing) void probe()
  }, probeIntervalMs)
  return () => clearInterval(timer)
}
