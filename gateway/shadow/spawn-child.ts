import { type ChildProcess, spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import { describeError } from '#shared/describe-error.ts'
import { parentWatch, parentWatchCode } from '#shared/run-time-files.ts'
import type { ChildLimits } from './child-limits.ts'
import { encodeFrame, FrameReader } from './message-frames.ts'
import { collectStderr } from './stderr-summary.ts'
import { taskPipe } from './task-pipe.ts'

export interface ChildProgram {
  /** The module that the child process runs. It calls `serveTasks`. */
  readonly module: URL
  /** The flags of Node, such as those of its permission model. */
  readonly execArgv: readonly string[]
  /** The child's environment, to which only the id of its parent is added: it inherits nothing. */
  readonly env: Readonly<Record<string, string>>
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Safe for the log: no message. */
  readonly failure: Readonly<Record<string, unknown>>
}

interface ChildListeners {
  /** Must not throw. */
  readonly onMessage: (payload: Buffer) => void
  readonly onInvalidFrame: () => void
  /** Called once, and always later than `spawnChild` returns, also where no process could be started. */
  readonly onExit: (exit: ChildExit) => void
}

export interface ChildHandle {
  readonly pid: number | undefined
  /** @throws if the message cannot be serialized. */
  send(message: { readonly id: number; readonly task: unknown }): void
  kill(): void
}

const createFlags = (execArgv: readonly string[], limits: ChildLimits) => [
  // Also limits memory where the platform does not report that of a process. The rest is for buffers and code.
  `--max-old-space-size=${Math.ceil((limits.memoryBytes / 1024 ** 2) * 0.75)}`,
  ...execArgv,
  ...(execArgv.includes('--permission')
    ? ['--allow-worker', ...parentWatchCode.map((code) => `--allow-fs-read=${fileURLToPath(code)}`)]
    : []),
  `--import=${fileURLToPath(parentWatch)}`,
]

const lowerPriority = (pid: number) => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The child runs without it, or has ended already.
  }
}

const readPipe = (
  pipe: Duplex,
  maxBytes: number,
  { onMessage, onInvalidFrame }: Omit<ChildListeners, 'onExit'>,
) => {
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
  // A child that closes the pipe does not respond; one that ends exits.
  pipe.on('error', () => undefined)
}

const noProcess: ChildHandle = { pid: undefined, send: () => undefined, kill: () => undefined }

const followProcess = (child: ChildProcess, limits: ChildLimits, listeners: ChildListeners): ChildHandle => {
  const stderr = child.stderr ? collectStderr(child.stderr) : () => ({})
  // Without file descriptors there are no pipes, whatever the types say.
  const pipe: unknown = child.stdio?.[taskPipe]
  const kill = () => {
    child.kill('SIGKILL')
    if (pipe instanceof Duplex) pipe.destroy()
  }
  process.once('exit', kill)
  let isFinished = false
  const finish = (exit: ChildExit) => {
    if (isFinished) return
    isFinished = true
    process.off('exit', kill)
    listeners.onExit(exit)
  }
  child.on('error', (error) => {
    if (child.pid === undefined) finish({ code: null, signal: null, failure: describeError(error) })
  })
  child.once('exit', () => {
    // After what is left to read. A process that has inherited them, or a paused stream, would keep them open.
    const timer = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy()
    }, 200)
    child.once('close', () => clearTimeout(timer))
  })
  child.once('close', (code, signal) => finish({ code, signal, failure: { ...stderr() } }))
  if (pipe instanceof Duplex) readPipe(pipe, limits.resultBytes, listeners)
  if (child.pid !== undefined) lowerPriority(child.pid)
  return {
    pid: child.pid,
    send({ id, task }) {
      const frame = encodeFrame(serialize({ id, task: serialize(task) }))
      if (pipe instanceof Duplex) pipe.write(frame)
    },
    kill,
  }
}

/** Starts a process of the lowest priority that ends with this one. Does not throw. */
export const spawnChild = (
  { module, execArgv, env }: ChildProgram,
  limits: ChildLimits,
  listeners: ChildListeners,
): ChildHandle => {
  try {
    const child = spawn(process.execPath, [...createFlags(execArgv, limits), fileURLToPath(module)], {
      // `watch-parent.ts` reads it, and may import nothing.
      env: { ...env, PARENT_PID: String(process.pid) },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
    return followProcess(child, limits, listeners)
  } catch (error) {
    setImmediate(() => listeners.onExit({ code: null, signal: null, failure: describeError(error) }))
    return noProcess
  }
}
