import type postgres from 'postgres'
import { minStallMs, type Period } from './watch-stalls.ts'

const probeIntervalMs = 50

/** Calls `onStall` for each statement that took over 200 ms, sent every 50 ms. Returns what ends that. */
export const watchDatabase = (sql: postgres.Sql, onStall: (stall: Period) => void) => {
  let isProbing = false
  const probe = async () => {
    isProbing = true
    const from = Date.now()
    // It fails when the client is closed.
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
