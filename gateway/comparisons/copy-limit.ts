export interface CopyLimit {
  /** Whether the current second has room for one more copy. */
  hasRoom(): boolean
  /** Takes one copy of the current second, whether it is made or not; false if there is none left. */
  take(): boolean
}

/** Permits at most `perSecond` copies in each second of a monotonic clock. */
export const createCopyLimit = (
  perSecond: number,
  now: () => number = () => performance.now(),
): CopyLimit => {
  let second = Number.NEGATIVE_INFINITY
  let copies = 0
  const hasRoom = () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      copies = 0
    }
    return copies < perSecond
  }
  return {
    hasRoom,
    take() {
      if (!hasRoom()) return false
      copies += 1
      return true
    },
  }
}
