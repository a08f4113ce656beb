import type { ChildProcess } from './start-child.ts'

const restartDelayMs = 1000

/** Starts a process, and starts it again each time it exits until `stopping` is aborted. */
export const restartOnExit = async (
  start: () => Promise<ChildProcess>,
  stopping: AbortSignal,
): Promise<Pick<ChildProcess, 'stop'>> => {
  let current = await start()
  const watch = async () => {
    while (!stopping.aborted) {
      await current.exited
      await new Promise((resolve) => setTimeout(resolve, restartDelayMs))
      // A failed start is retried after the next delay.
      if (!stopping.aborted) current = await start().catch(() => current)
    }
  }
  void watch()
  return { stop: (timeoutMs) => current.stop(timeoutMs) }
}
