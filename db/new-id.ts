// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import { v7 as uuidv7 } from 'uuid'

const bytesOfId = 16

// Asking for random bytes takes longer than all else that makes an id, so they are fetched for many at once.
const pool = new Uint8Array(256 * bytesOfId)
const words = new DataView(pool.buffer)
let used = pool.length
let msecs = 0
let seq = 0

/** A new identifier for a row, a UUID of version 7: ids that one process makes later sort later. */
export const newId = (): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const random = pool.subarray(used, used + bytesOfId)
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // 31 bits of chance, which leaves room to count on within the millisecond.
    seq = words.getUint32(used) >>> 1
  } else seq += 1
  used += bytesOfId
  return uuidv7({ random, msecs, seq })
}
