/** Returns a function that permits at most `perSecond` copies in each second of a monotonic clock. */
export const createCopyLimit = (perSecond: number, now: () => number = () => performance.now()) => {
  let second = Number.NEGATIVE_INFINITY
  let copies = 0
  return () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      copies = 0
    }
    copies += 1
    return copies <= perSecond
  }
}
