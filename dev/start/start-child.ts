import { platform } from 'node:process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { createRestart, startChild, startTimeout } from '#shared/processes/child-process.ts'

export interface LaunchedProcess {
  readonly pid: number
  readonly exited: Promise<unknown>
  /** Sends SIGTERM for a graceful shutdown, then SIGKILL after `timeoutMs`. The default is `DRAIN_MS` plus 5 s. */
  stop(timeoutMs?: number): Promise<void>
}

type ChildEnvironment = Readonly<Record<string, string | undefined>>

/** Reads what a process prints. If not given, the process uses the output of this process. */
export type ReadOutput = (stdout: Readable, stderr: Readable) => void

const ServerReady = z.object({
  url: z.string(),
  /** The address of the admin listener; absent for servers that have none, null if it is off. */
  adminUrl: z.string().nullish(),
})
const WorkerReady = z.object({
  adminUrl: z.string().nullable(),
  /** Null if the worker cannot use ffmpeg. Earlier releases do not report the path. */
  ffmpegPath: z.string().nullable().default(null),
})
const ServersReady = z.object({ urls: z.record(z.string(), z.string()) })

const startTimeoutMs = 60_000
const defaultDrainMs = 10_000
const closeTimeoutMs = 5000
const restartDelays = { delayMs: 1000, maxDelayMs: 1000 }

// The settings treat an empty variable as unset, but the sandbox core does not. Node leaves out undefined variables.
const unsetEmpty = (environment: ChildEnvironment): ChildEnvironment =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value || undefined]))

const createLauncher =
  <T>(schema: z.ZodType<T>) =>
  async (
    name: string,
    module: URL,
    environment: ChildEnvironment,
    readOutput?: ReadOutput,
  ): Promise<LaunchedProcess & T> => {
    const output = readOutput ? 'pipe' : 'inherit'
    const child = startChild({
      args: [...process.execArgv, fileURLToPath(module)],
      env: { ...process.env, ...unsetEmpty(environment) },
      stdio: ['ignore', output, output, 'ipc'],
      // A separate process group, so that Ctrl-C in the terminal signals only the parent, which stops its children in
      // order.
      detached: platform !== 'win32',
      endsByItself: true,
    })
    const { stdout, stderr } = child.process ?? {}
    if (stdout && stderr) readOutput?.(stdout, stderr)
    let isLate = false
    const cancelTimeout = startTimeout(startTimeoutMs, () => {
      isLate = true
      child.kill()
    })
    const ready = await child.firstMessage
    cancelTimeout()
    if (!ready) {
      const { code, signal, error } = await child.exited
      if (error) throw error
      throw new Error(
        isLate
          ? `${name} was not ready within ${startTimeoutMs / 1000} s. Check its output above.`
          : `${name} exited before it was ready (${signal ?? `exit code ${code}`}). Check its output above.`,
      )
    }
    const stop = (timeoutMs = Number(environment.DRAIN_MS || defaultDrainMs) + closeTimeoutMs) =>
      child.stop(timeoutMs)
    const message = schema.safeParse(ready.value)
    if (message.success) return { pid: child.pid ?? 0, exited: child.exited, stop, ...message.data }
    await stop()
    throw new Error(`${name} did not report its address in its ready message`)
  }

export const startServer = createLauncher(ServerReady)
export type ServerProcess = Awaited<ReturnType<typeof startServer>>

export const startJobsProcess = createLauncher(WorkerReady)

export const startServers = createLauncher(ServersReady)

/** Starts a process. Until `stopping` is aborted, restarts it whenever it exits. */
export const restartOnExit = async (
  start: () => Promise<LaunchedProcess>,
  stopping: AbortSignal,
): Promise<Pick<LaunchedProcess, 'stop'>> => {
  let current = await start()
  let starting: Promise<unknown> = Promise.resolve()
  let lastReason = ''
  const restartFailed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    if (reason !== lastReason) process.stderr.write(`${reason}\n`)
    lastReason = reason
    // Returns the process that has exited, so that the start is tried again after the next delay.
    return current
  }
  const startAgain = async () => {
    current = await start().catch(restartFailed)
    void watch()
  }
  const restart = createRestart(() => {
    starting = startAgain()
  }, restartDelays)
  const watch = async () => {
    await current.exited
    if (stopping.aborted) return
    restart.countFailure()
    restart.start()
  }
  stopping.addEventListener('abort', restart.cancel)
  void watch()
  return {
    async stop(timeoutMs) {
      await starting
      await current.stop(timeoutMs)
    },
  }
}
