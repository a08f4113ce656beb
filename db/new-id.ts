// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import { v7 as uuidv7 } from 'uuid'

const bytesOfId = 16

// Fetching random bytes is the slowest part of making an id, so they are fetched for many ids at once.
const pool = new Uint8Array(256 * bytesOfId)
const words = new DataView(pool.buffer)
let used = pool.length
let msecs = 0
let seq = 0

/** A new identifier for a row, a UUID of version 7: later ids of a process sort later. */
export const newId = (): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const random = pool.subarray(used, used + bytesOfId)
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // 31 random bits, which leaves bits to count on within the millisecond.
    seq = words.getUint32(used) >>> 1
  } else seq += 1
  used += bytesOfId
  return uuidv7({ random, msecs, seq })
}
