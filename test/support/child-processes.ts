import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'

const channel = 'child_process'
const asStarted = (message: unknown) => message as { readonly process: ChildProcess }

/** Sends a signal to each of the next `count` child processes as soon as it runs. Returns a function that ends this. */
export const killChildProcesses = (signal: NodeJS.Signals, count = Number.POSITIVE_INFINITY) => {
  let killed = 0
  const kill = (message: unknown) => {
    const { process } = asStarted(message)
    if (killed++ < count) process.once('spawn', () => process.kill(signal))
  }
  subscribe(channel, kill)
  return () => {
    unsubscribe(channel, kill)
    return killed
  }
}

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

// A process that has ended remains a zombie until the process that adopted it reads its exit status.
const isDefunct = (pid: number) => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

export const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0) && !(process.platform === 'linux' && isDefunct(pid))
  } catch {
    return false
  }
}
