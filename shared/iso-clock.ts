export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

// Optimized: see "GET of 1 KiB, 32 connections" in dev/bench/README.md.
export const createIsoClock = () => {
  let formattedMs = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== formattedMs) {
      formattedMs = now
      text = new Date(now).toISOString()
    }
    return text
  }
}
