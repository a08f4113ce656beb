import type { ChildProcess } from 'node:child_process'
import { RetryLaterError } from '../retry-later-error.ts'
import type { AnalysisLimits } from './analysis-limits.ts'
import { createMemoryCgroup, type MemoryCgroup } from './memory-cgroup.ts'
import type { ProcessUsage } from './process-usage.ts'
import { type ExceededLimit, watchProcess } from './watch-process.ts'

export interface ProcessExit {
  readonly code: number | null
  readonly reason: NodeJS.Signals | null
}

// A process that crashes, or that the kernel stops from writing a file, causes these itself. Others come from outside.
const crashSignals = new Set<NodeJS.Signals | null>([
  'SIGSEGV',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGTRAP',
  'SIGXFSZ',
])

/** Whether a process has ended by a fault of its own rather than a signal from outside. */
export const isCrash = (reason: ProcessExit['reason']) => crashSignals.has(reason)

/** A child process that is killed when it exceeds its limits or when its task is aborted. */
interface SupervisedProcess {
  /** Rejects with `RetryLaterError` if the process could not be started. */
  readonly exited: Promise<ProcessExit>
  /** The limit that the process exceeded. Call it after the exit. */
  exceededLimit(): ExceededLimit | null
  /** The usage at the last sample. */
  usage(): ProcessUsage
  /** Kills the process if it still runs, waits for its exit and removes what belongs to it. */
  close(): Promise<void>
}

const waitForExit = (child: ChildProcess) =>
  new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new RetryLaterError('analyser_unavailable', 'a process could not be started', { cause })),
    )
    child.once('exit', (code, reason) => resolve({ code, reason }))
  })

const addToCgroup = (cgroup: MemoryCgroup | null, pid: number | undefined) => {
  try {
    if (pid !== undefined) cgroup?.add(pid)
  } catch {
    // The process has exited or may not be moved. Its memory is sampled either way.
  }
}

/**
 * Enforces the limits of a process. A memory cgroup is used where this process may create one; in addition the usage of
 * the child is sampled.
 */
export const superviseProcess = (
  child: ChildProcess,
  limits: AnalysisLimits,
  signal: AbortSignal,
): SupervisedProcess => {
  const exited = waitForExit(child)
  // A process that could not be started is reported where its exit is awaited, which may be later.
  exited.catch(() => undefined)
  const cgroup = createMemoryCgroup(limits.memoryBytes)
  addToCgroup(cgroup, child.pid)
  let limit: ExceededLimit | null = null
  const kill = () => {
    child.kill('SIGKILL')
    // A process that it started may hold the pipes open.
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const watch = watchProcess(child.pid ?? 0, limits, (exceeded) => {
    limit ??= exceeded
    kill()
  })
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  return {
    exited,
    exceededLimit: () => limit ?? (child.signalCode === 'SIGKILL' && cgroup?.hasKilled() ? 'memory' : null),
    usage: watch.usage,
    async close() {
      kill()
      await exited.catch(() => null)
      watch.stop()
      signal.removeEventListener('abort', kill)
      await cgroup?.remove()
    },
  }
}
