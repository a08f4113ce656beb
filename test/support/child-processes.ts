import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const channel = 'child_process'
const asStarted = (message: unknown) => message as { readonly process: ChildProcess }

/** Calls `work` and returns the child processes that were started until it completed. */
export const recordChildProcesses = async (work: () => Promise<unknown>) => {
  const started: ChildProcess[] = []
  const record = (message: unknown) => {
    started.push(asStarted(message).process)
  }
  subscribe(channel, record)
  await work().catch(() => undefined)
  unsubscribe(channel, record)
  return started
}
