/** Returns the CPU time of this thread, in milliseconds. */
const readCpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Measures the longest time, in milliseconds, for which `work` blocks this thread's event loop. Counts CPU time,
 * because elapsed time would include delays by the database and other processes.
 */
export const measureLongestTask = async (work: () => Promise<unknown>): Promise<number> => {
  let longestMs = 0
  let last = readCpuMs()
  const beat = () => {
    const now = readCpuMs()
    longestMs = Math.max(longestMs, now - last)
    last = now
  }
  const timer = setInterval(beat, 1)
  await work()
  beat()
  clearInterval(timer)
  return longestMs
}
