import { v7 as uuidv7 } from 'uuid'

const idBytes = 16

// Fetching random bytes is the slowest part of creating an id, so they are fetched for 256 ids at once (measured in
// bench/results/sharing.md).
const pool = new Uint8Array(256 * idBytes)
const poolView = new DataView(pool.buffer)
let used = pool.length
let lastMs = 0
let sequence = 0

/** A new identifier, a version 7 UUID: later ids of a process sort later, even if the clock is set back. */
export const newId = (): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const random = pool.subarray(used, used + idBytes)
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    // 31 random bits: the top bit stays clear, so that incrementing within a millisecond does not overflow 32 bits.
    sequence = poolView.getUint32(used) >>> 1
  } else sequence += 1
  used += idBytes
  return uuidv7({ random, msecs: lastMs, seq: sequence })
}
