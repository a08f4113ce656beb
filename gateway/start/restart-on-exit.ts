import type { ChildProcess } from './start-child.ts'

const pauseMs = 1000

/** Starts a process again whenever it ends, until it is stopped. */
export const restartOnExit = async (
  start: () => Promise<ChildProcess>,
): Promise<Pick<ChildProcess, 'stop'>> => {
  let stopped = false
  let current = await start()
  const watch = async () => {
    while (!stopped) {
      await current.exited
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      // One that cannot start now may be able to after the next pause.
      if (!stopped) current = await start().catch(() => current)
    }
  }
  void watch()
  return {
    stop: async (graceMs) => {
      stopped = true
      await current.stop(graceMs)
    },
  }
}
