import type { ChildProcess } from './start-child.ts'

const restartDelayMs = 1000

/** Starts a process and starts it again each time it exits, until `stop` is called. */
export const restartOnExit = async (
  start: () => Promise<ChildProcess>,
): Promise<Pick<ChildProcess, 'stop'>> => {
  let stopped = false
  let current = await start()
  const watch = async () => {
    while (!stopped) {
      await current.exited
      await new Promise((resolve) => setTimeout(resolve, restartDelayMs))
      // A failed start is retried after the next delay.
      if (!stopped) current = await start().catch(() => current)
    }
  }
  void watch()
  return {
    stop: async (timeoutMs) => {
      stopped = true
      await current.stop(timeoutMs)
    },
  }
}
