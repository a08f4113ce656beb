import { constants, setPriority } from 'node:os'
import { Duplex, type Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import { describeError } from '#shared/describe-error.ts'
import { startChild } from '#shared/processes/child-process.ts'
import { parentWatch, parentWatchCode } from '#shared/run-time-files.ts'
import { encodeFrame, FrameReader, selectFrames, taskPipe } from './child-messages.ts'

export const defaultChildLimits = {
  /** How many tasks may wait. If the queue is full, a new task replaces the oldest. */
  queueLength: 64,
  concurrency: 2,
  /** Maximum time from the process's start until it accepts tasks. */
  startTimeoutMs: 30_000,
  /** Maximum time from sending a task to receiving its result. */
  responseTimeoutMs: 2000,
  /** Maximum size of a result as JSON. */
  resultBytes: 256 * 1024,
  memoryBytes: 320 * 1024 * 1024,
  memoryIntervalMs: 250,
  idleTimeoutMs: 60_000,
  /** How long to wait before restarting a failed child. Doubles with each failure in a row, up to `maxBackoffMs`. */
  backoffMs: 1000,
  maxBackoffMs: 60_000,
}
export type ChildLimits = typeof defaultChildLimits

export type ExitReason = 'start_timeout' | 'unresponsive' | 'memory' | 'invalid_message' | 'exited' | 'closed'

/** Why a task has no result although the child process continues: the task threw, or its result is invalid. */
export type FaultReason = 'task_failed' | 'invalid_result'

export type DropReason = 'queue_full' | 'invalid_task' | FaultReason | ExitReason

export interface ChildProgram {
  /** The module that the child process runs. It calls `serveTasks`. */
  readonly module: URL
  readonly execArgv: readonly string[]
  /** The child's complete environment. Only the parent's process id is added to it. */
  readonly env: Readonly<Record<string, string>>
}

export interface TaskProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Safe to log, because it contains no message. */
  readonly failure: Readonly<Record<string, unknown>>
}

interface ChildListeners {
  /** Must not throw. */
  readonly onMessage: (payload: Buffer) => void
  readonly onInvalidFrame: () => void
}

const keptBytes = 2048
const readBytes = 64 * 1024

/** An error as found in stderr, without its message, which may contain customers' values. */
interface StderrSummary {
  readonly name: string | null
  readonly at: readonly string[]
}

export const summarizeStderr = (text: string): StderrSummary => {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const names = lines.map((line) => /^\w*Error\b/.exec(line)?.[0] ?? null)
  const last = names.findLastIndex((name) => name !== null)
  return { name: names[last] ?? null, at: selectFrames(lines.slice(Math.max(0, last))) }
}

// Keeps the last 2 KiB of a child's stderr, and stops reading after about 64 KiB. If the child writes more, the pipe
// fills up, which costs the child memory or time, but not this process.
const collectStderr = (stderr: Readable): (() => StderrSummary) => {
  let kept = Buffer.alloc(0)
  let received = 0
  stderr.on('data', (chunk: Buffer) => {
    received += chunk.length
    kept = Buffer.from(Buffer.concat([kept, chunk]).subarray(-keptBytes))
    if (received >= readBytes) stderr.pause()
  })
  stderr.on('error', () => undefined)
  return () => {
    const text = kept.toString()
    // The first line may be cut off.
    return summarizeStderr(received > keptBytes ? text.slice(text.indexOf('\n') + 1) : text)
  }
}

const createFlags = (execArgv: readonly string[], limits: ChildLimits) => [
  // Limits the heap to three quarters of the memory limit, even where a process's memory cannot be measured. The rest
  // is for buffers and code.
  `--max-old-space-size=${Math.ceil((limits.memoryBytes / 1024 ** 2) * 0.75)}`,
  ...execArgv,
  ...(execArgv.includes('--permission')
    ? ['--allow-worker', ...parentWatchCode.map((code) => `--allow-fs-read=${fileURLToPath(code)}`)]
    : []),
  // Read as a URL, in which a path with `#` or `%` would be another one.
  `--import=${parentWatch.href}`,
]

const lowerPriority = (pid: number) => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The child keeps its priority, or has already ended.
  }
}

const readPipe = (pipe: Duplex, maxBytes: number, { onMessage, onInvalidFrame }: ChildListeners) => {
  const frames = new FrameReader(maxBytes)
  pipe.on('data', (chunk: Buffer) => {
    try {
      for (const payload of frames.read(chunk)) {
        if (pipe.destroyed) return
        onMessage(payload)
      }
    } catch {
      onInvalidFrame()
    }
  })
  // Nothing to do: a child that closes its pipe runs into the response timeout, and one that ends is noticed by its
  // exit.
  pipe.on('error', () => undefined)
}

/** Starts a process with the lowest priority. The process ends when this one does. Never throws. */
export const spawnChild = (
  { module, execArgv, env }: ChildProgram,
  limits: ChildLimits,
  listeners: ChildListeners,
) => {
  const child = startChild({
    args: [...createFlags(execArgv, limits), fileURLToPath(module)],
    // Read by `watch-parent.ts`, which may import nothing.
    env: { ...env, PARENT_PID: String(process.pid) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const stderr = child.process?.stderr ? collectStderr(child.process.stderr) : () => ({})
  const pipe: unknown = child.process?.stdio?.[taskPipe]
  if (pipe instanceof Duplex) readPipe(pipe, limits.resultBytes, listeners)
  if (child.pid !== null) lowerPriority(child.pid)
  const waitForExit = async (): Promise<TaskProcessExit> => {
    const { code, signal, error } = await child.exited
    child.kill()
    return { code, signal, failure: error ? describeError(error) : { ...stderr() } }
  }
  return {
    pid: child.pid,
    /** Also resolves if the process could not start. */
    exited: waitForExit(),
    /** @throws if the message cannot be serialized. */
    send({ id, task }: { readonly id: number; readonly task: unknown }) {
      const frame = encodeFrame(serialize({ id, task: serialize(task) }))
      if (pipe instanceof Duplex) pipe.write(frame)
    },
    kill: child.kill,
  }
}
