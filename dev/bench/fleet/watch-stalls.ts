/** A time span in milliseconds since the epoch of Unix. */
export interface Period {
  readonly from: number
  readonly to: number
}

const sampleIntervalMs = 20
/** What counts as a stall, of an event loop or of the database. */
export const minStallMs = 200

/** The message of the log line that reports a stall of an instance. */
export const stallMessage = 'event loop stalled'

/** Calls `onStall` after each period of over 200 ms in which the event loop did not run. Returns what ends that. */
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
