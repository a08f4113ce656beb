import { type ChildProcess, type SerializationType, type StdioOptions, spawn } from 'node:child_process'

interface ChildOptions {
  /** A program; by default the Node that runs this process. */
  readonly command?: string
  readonly args: readonly string[]
  /** The whole environment: the child inherits nothing. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly stdio: StdioOptions
  readonly serialization?: SerializationType
  /** The child has a process group of its own, and no signal of the terminal reaches it. */
  readonly detached?: boolean
  /** The child calls `onParentExit` and ends by itself when this process exits. Otherwise it is killed then. */
  readonly endsByItself?: boolean
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why the process could not be started; null if it ran. */
  readonly error: unknown
}

export interface Child {
  /** Its pipes and its channel, which are missing, whatever the types say, if this process has no file descriptors left. */
  readonly process: ChildProcess | null
  readonly pid: number | null
  /** How it ended or why it could not be started. What it sent before that has been read. Never rejects. */
  readonly exited: Promise<ChildExit>
  /** The first message on its channel; null if it ended without one. Never rejects. */
  readonly firstMessage: Promise<{ readonly value: unknown } | null>
  /** Sends SIGKILL and closes its pipes, which a process that it started may hold open. */
  kill(): void
  /** Sends SIGTERM, and SIGKILL after `timeoutMs`. Resolves when the child has exited. */
  stop(timeoutMs: number): Promise<void>
}

const readAfterExitMs = 200
const lateMs = 1000

/**
 * Calls `onTimeout` after `ms` in which this process could read what its children sent. A machine that sleeps, a paused
 * process and a blocked event loop make a timer late: it starts again then. Returns the function that cancels it. It does
 * not keep this process running.
 */
export const startTimeout = (ms: number, onTimeout: () => void): (() => void) => {
  let timer: NodeJS.Timeout
  let immediate: NodeJS.Immediate | undefined
  const wait = () => {
    const dueAt = performance.now() + ms
    const expire = () => {
      if (performance.now() - dueAt > lateMs) wait()
      // After what has arrived while this process itself was busy.
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
  /** After a failure; doubled for each further one in a row, up to `maxDelayMs`. */
  readonly delayMs: number
  readonly maxDelayMs: number
}

/** The one way in which a process that has ended is started again: at once, or with a delay after it has failed. */
export const createRestart = (start: () => void, { delayMs, maxDelayMs }: RestartDelays) => {
  let failures = 0
  let timer: NodeJS.Timeout | null = null
  return {
    /** Does nothing while a start is due. */
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
 * Calls `listener` when the process that started this one has ended, even by SIGKILL. It may have ended already: the event
 * is lost while the modules of this process are loaded.
 */
export const onParentExit = (listener: () => void) => {
  // Undefined in a process without a channel.
  if (process.connected === false) listener()
  else process.once('disconnect', listener)
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
      // A process that runs has one for a message or a signal that could not be sent.
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
    child.once('exit', (code, signal) => {
      // A process that has inherited its pipes, or a paused stream, keeps them open.
      const timer = setTimeout(resolve, readAfterExitMs, { code, signal, error: null })
      child.once('close', () => {
        clearTimeout(timer)
        resolve({ code, signal, error: null })
      })
    })
  })

/** Starts a process. Does not throw: `exited` has the error of one that cannot be started. */
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
