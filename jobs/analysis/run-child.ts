import { type ChildProcess, fork } from 'node:child_process'
import type { AnalysisLimits } from './analysis-limits.ts'
import { createMemoryCgroup, type MemoryCgroup } from './memory-cgroup.ts'
import type { ProcessUsage } from './process-usage.ts'
import { type ExceededLimit, watchProcess } from './watch-process.ts'

/** The task of a child process for one file. */
export interface AnalysisTask {
  readonly kind: 'audio' | 'asset' | 'family'
  readonly path: string
  readonly contentType: string
}

/** The outcome of a child process: its result, or the limit that it exceeded. */
type ChildOutcome = { readonly usage: ProcessUsage } & (
  | { readonly limit: null; readonly result: unknown }
  | { readonly limit: ExceededLimit }
)

interface ChildState {
  limit: ExceededLimit | null
  message: { readonly result: unknown } | null
}

/** The child process exited without sending a result. */
class ChildExitError extends Error {
  override name = 'ChildExitError'
}

// V8 aborts the process with SIGABRT when its heap is full.
const isOutOfMemory = (reason: NodeJS.Signals | null, cgroup: MemoryCgroup | null) =>
  reason === 'SIGABRT' || (reason === 'SIGKILL' && cgroup?.hasKilled() === true)

const addToCgroup = (cgroup: MemoryCgroup | null, pid: number) => {
  try {
    cgroup?.add(pid)
  } catch {
    // The process has exited or may not be moved. Its memory is sampled either way.
  }
}

const waitForExit = (child: ChildProcess) =>
  new Promise<{ readonly code: number | null; readonly reason: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, reason) => resolve({ code, reason }))
  })

const startChild = () =>
  fork(new URL('./child.ts', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // The child needs only the path of the file. It must not inherit the secrets of this process.
    env: {},
    execArgv: ['--max-old-space-size=192'],
  })

/**
 * Runs a task in a child process and enforces the limits. The heap limit of V8 covers neither typed arrays nor WASM,
 * and Node does not start under an address space limit. A memory cgroup is used where this process may create one; in
 * addition the usage of the child is sampled, and the child is killed when it exceeds a limit.
 */
export const runChild = async (
  task: AnalysisTask,
  limits: AnalysisLimits,
  signal: AbortSignal,
): Promise<ChildOutcome> => {
  signal.throwIfAborted()
  const cgroup = createMemoryCgroup(limits.memoryBytes)
  const child = startChild()
  const state: ChildState = { limit: null, message: null }
  const kill = () => child.kill('SIGKILL')
  const watch = watchProcess(child.pid ?? 0, limits, (limit) => {
    state.limit ??= limit
    kill()
  })
  child.once('message', (result) => {
    state.message = { result }
  })
  signal.addEventListener('abort', kill)
  try {
    const exited = waitForExit(child)
    if (child.pid !== undefined) addToCgroup(cgroup, child.pid)
    child.send(task)
    const { code, reason } = await exited
    const usage = watch.usage()
    const limit = state.limit ?? (isOutOfMemory(reason, cgroup) ? 'memory' : null)
    if (state.message) return { limit: null, usage, ...state.message }
    if (limit) return { limit, usage }
    throw new ChildExitError(`the analysis process exited with ${reason ?? code}`)
  } finally {
    watch.stop()
    signal.removeEventListener('abort', kill)
    await cgroup?.remove()
  }
}
