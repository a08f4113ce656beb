import { type ChildProcess, type SerializationType, type StdioOptions, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface ChildOptions {
  /** The program to start. Defaults to the Node that runs this process. */
  readonly command?: string
  readonly args: readonly string[]
  /** The whole environment: the child inherits nothing. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly stdio: StdioOptions
  readonly serialization?: SerializationType
  /** The child gets its own process group, and no signals from the terminal. */
  readonly detached?: boolean
  /**
   * Whether the child calls `onParentExit` and so ends itself when this process exits. If not, this process kills it.
   */
  readonly endsByItself?: boolean
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly error: unknown
}

export interface Child {
  /** If this process is out of file descriptors, the child's pipes and channel are missing, whatever the types say. */
  readonly process: ChildProcess | null
  readonly pid: number | null
  /** Resolves once everything that the child sent has been read. Never rejects. */
  readonly exited: Promise<ChildExit>
  /** Null if the child ended without one. Never rejects. */
  readonly firstMessage: Promise<{ readonly value: unknown } | null>
  /** Also closes its pipes, which a grandchild may hold open. */
  kill(): void
  /** Sends SIGTERM, then SIGKILL after `timeoutMs`. Resolves once the child has exited. */
  stop(timeoutMs: number): Promise<void>
}

const readAfterExitMs = 200
const lateMs = 1000

/**
 * Calls `onTimeout` after `ms`. Starts over if the timer is late (the machine slept, the process was paused or the
 * event loop was blocked), because in that time this process could not read what its children sent. Returns a function
 * that cancels the timeout. Does not keep the process alive.
 */
export const startTimeout = (ms: number, onTimeout: () => void): (() => void) => {
  let timer: NodeJS.Timeout
  let immediate: NodeJS.Immediate | undefined
  const wait = () => {
    const dueAt = performance.now() + ms
    const expire = () => {
      if (performance.now() - dueAt > lateMs) wait()
      // The immediate lets this process first read what arrived while it was busy.
      else immediate = setImmediate(onTimeout)
    }
    timer = setTimeout(expire, ms).unref()
  }
  wait()
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

interface RestartDelays {
  /** Delay after a failure. Doubles with each further failure in a row, up to `maxDelayMs`. */
  readonly delayMs: number
  readonly maxDelayMs: number
}

export const createRestart = (start: () => void, { delayMs, maxDelayMs }: RestartDelays) => {
  let failures = 0
  let timer: NodeJS.Timeout | null = null
  return {
    start() {
      if (timer) return
      if (failures === 0) return start()
      const expire = () => {
        timer = null
        start()
      }
      timer = setTimeout(expire, Math.min(maxDelayMs, delayMs * 2 ** (failures - 1))).unref()
    },
    countFailure() {
      failures += 1
    },
    forgetFailures() {
      failures = 0
    },
    cancel() {
      if (timer) clearTimeout(timer)
    },
  }
}

/**
 * Calls `listener` when the parent process ends, even by SIGKILL. If the parent ended while this process was loading
 * its modules, the event was missed, so `listener` is called immediately.
 */
export const onParentExit = (listener: () => void) => {
  // `connected` is undefined in a process without a channel.
  if (process.connected === false) listener()
  else process.once('disconnect', listener)
}

/** Sends a message to the parent process. Does nothing if there is none, or if it has ended. */
export const sendToParent = (message: object) => {
  process.send?.(message, () => undefined)
}

const killsOnExit = new Set<() => void>()
process.on('exit', () => {
  for (const kill of killsOnExit) kill()
})

const trySpawn = ({ command = process.execPath, args, endsByItself: _, ...options }: ChildOptions) => {
  try {
    return { child: spawn(command, args, options), error: null }
  } catch (error) {
    return { child: null, error }
  }
}

const waitForExit = (child: ChildProcess) =>
  new Promise<ChildExit>((resolve) => {
    child.on('error', (error) => {
      // A running process also emits `error`, for a message or signal that could not be sent.
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
    child.once('exit', (code, signal) => {
      // `close` may never follow, because a paused stream, or a grandchild that inherited the pipes, keeps them open.
      const timer = setTimeout(resolve, readAfterExitMs, { code, signal, error: null })
      child.once('close', () => {
        clearTimeout(timer)
        resolve({ code, signal, error: null })
      })
    })
  })

/** Never throws: if the process cannot start, `exited` has the error. */
export const startChild = (options: ChildOptions): Child => {
  const { child, error } = trySpawn(options)
  const exited = child ? waitForExit(child) : Promise.resolve({ code: null, signal: null, error })
  const firstMessage = new Promise<{ readonly value: unknown } | null>((resolve) => {
    child?.once('message', (value) => resolve({ value }))
    void exited.then(() => resolve(null))
  })
  const kill = () => {
    child?.kill('SIGKILL')
    for (const stream of child?.stdio ?? []) stream?.destroy()
  }
  if (!options.endsByItself) {
    killsOnExit.add(kill)
    void exited.then(() => killsOnExit.delete(kill))
  }
  return {
    process: child,
    pid: child?.pid ?? null,
    exited,
    firstMessage,
    kill,
    async stop(timeoutMs) {
      child?.kill('SIGTERM')
      const cancel = startTimeout(timeoutMs, kill)
      await exited
      cancel()
    },
  }
}

// Node resolves modules by the path as written, but reads the files that links in it lead to. Both paths must be
// allowed.
export const allowReading = (code: URL) => {
  const path = fileURLToPath(code)
  return [...new Set([path, realpathSync(path)])].map((allowed) => `--allow-fs-read=${allowed}`)
}
