import { type ChildProcess, fork } from 'node:child_process'
import type { AnalysisLimits } from './analysis-limits.ts'
import { createMemoryCgroup, type MemoryCgroup } from './memory-cgroup.ts'
import type { ProcessUsage } from './process-usage.ts'
import { type ExceededLimit, watchProcess } from './watch-process.ts'

/** What a child is asked of one file. */
export interface AnalysisTask {
  readonly task: 'audio' | 'asset' | 'family'
  readonly path: string
  readonly contentType: string
}

/** How a child ended: with its answer, or killed because it needed more than it is given. */
type ChildOutcome = { readonly usage: ProcessUsage } & (
  | { readonly limit: null; readonly answer: unknown }
  | { readonly limit: ExceededLimit }
)

interface Seen {
  limit: ExceededLimit | null
  answered: { readonly answer: unknown } | null
}

/** The process that looked at a file ended without an answer. */
class NoAnswer extends Error {
  override name = 'NoAnswer'
}

// V8 ends a process with SIGABRT when its heap is full.
const isOutOfMemory = (reason: NodeJS.Signals | null, cgroup: MemoryCgroup | null) =>
  reason === 'SIGABRT' || (reason === 'SIGKILL' && cgroup?.hasKilled() === true)

const addToCgroup = (cgroup: MemoryCgroup | null, pid: number) => {
  try {
    cgroup?.add(pid)
  } catch {
    // It has ended already, or may not be moved; its memory is measured all the same.
  }
}

const waitForEnd = (child: ChildProcess) =>
  new Promise<{ readonly code: number | null; readonly reason: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, reason) => resolve({ code, reason }))
  })

const startChild = () =>
  fork(new URL('./child.ts', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // It is given the path of a file and needs nothing else, least of all the secrets of this process.
    env: {},
    execArgv: ['--max-old-space-size=192'],
  })

/**
 * Has a child process look at a file and watches what it uses. V8's own limit bounds neither typed arrays nor WASM, and
 * a limit on addresses would keep Node from starting: the kernel bounds the memory where this process may have it do so,
 * and everywhere the child is measured and killed.
 */
export const runChild = async (
  question: AnalysisTask,
  limits: AnalysisLimits,
  signal: AbortSignal,
): Promise<ChildOutcome> => {
  signal.throwIfAborted()
  const cgroup = createMemoryCgroup(limits.memoryBytes)
  const child = startChild()
  const seen: Seen = { limit: null, answered: null }
  const kill = () => child.kill('SIGKILL')
  const watch = watchProcess(child.pid ?? 0, limits, (limit) => {
    seen.limit ??= limit
    kill()
  })
  child.once('message', (answer) => {
    seen.answered = { answer }
  })
  signal.addEventListener('abort', kill)
  try {
    const ended = waitForEnd(child)
    if (child.pid !== undefined) addToCgroup(cgroup, child.pid)
    child.send(question)
    const { code, reason } = await ended
    const usage = watch.usage()
    const limit = seen.limit ?? (isOutOfMemory(reason, cgroup) ? 'memory' : null)
    if (seen.answered) return { limit: null, usage, ...seen.answered }
    if (limit) return { limit, usage }
    throw new NoAnswer(`the analysis ended with ${reason ?? code}`)
  } finally {
    watch.stop()
    signal.removeEventListener('abort', kill)
    await cgroup?.remove()
  }
}
