import { fork } from 'node:child_process'
import * as z from 'zod'
import { withTimeout } from '#shared/with-timeout.ts'

export interface ChildProcess {
  readonly pid: number
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>
  /** Sends SIGTERM for a graceful shutdown, and SIGKILL after `timeoutMs`, by default 5 s after `DRAIN_MS`. */
  stop(timeoutMs?: number): Promise<void>
}

export interface ServerProcess extends ChildProcess {
  readonly url: string
  /** The address of the admin listener; absent for servers without one, null if it is off. */
  readonly adminUrl?: string | null | undefined
}

interface WorkerProcess extends ChildProcess {
  /** The address of the admin listener; null if it is off. */
  readonly adminUrl: string | null
  /** The path of ffmpeg; null if the worker cannot use it. */
  readonly ffmpegPath: string | null
}

type ChildEnvironment = Readonly<Record<string, string | undefined>>

const ServerReady = z.object({ url: z.string(), adminUrl: z.string().nullish() })
const WorkerReady = z.object({
  adminUrl: z.string().nullable(),
  // An earlier release does not report it.
  ffmpegPath: z.string().nullable().default(null),
})
const ServersReady = z.object({ urls: z.record(z.string(), z.string()) })

const startTimeoutMs = 60_000
const defaultDrainMs = 10_000
const closeTimeoutMs = 5000

// The IPC channel closes when the parent exits, even after SIGKILL; the child then exits too.
const launch = async (name: string, module: URL, environment: ChildEnvironment) => {
  const child = fork(module, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const starting = new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(
        new Error(
          `${name} exited before it was ready (${signal ?? `exit code ${code}`}): check its output above`,
        ),
      ),
    )
  })
  const ready = await withTimeout(startTimeoutMs, starting, () => {
    child.kill('SIGKILL')
    throw new Error(`${name} was not ready within ${startTimeoutMs / 1000} s: check its output above`)
  })
  const stop = async (timeoutMs = Number(environment.DRAIN_MS || defaultDrainMs) + closeTimeoutMs) => {
    child.kill('SIGTERM')
    await withTimeout(timeoutMs, exited, () => child.kill('SIGKILL'))
    await exited
  }
  return { process: { pid: child.pid ?? 0, exited, stop }, ready }
}

const launchServer = async <T>(
  schema: z.ZodType<T>,
  name: string,
  module: URL,
  environment: ChildEnvironment,
) => {
  const { process, ready } = await launch(name, module, environment)
  const message = schema.safeParse(ready)
  if (message.success) return { ...process, ...message.data }
  await process.stop()
  throw new Error(`${name} did not report its address in its ready message`)
}

/** Forks a module that serves no clients, such as the job worker. */
export const startWorker = (
  name: string,
  module: URL,
  environment: ChildEnvironment,
): Promise<WorkerProcess> => launchServer(WorkerReady, name, module, environment)

/** Forks a module that starts one server; its ready message contains the `url`. */
export const startServer = (
  name: string,
  module: URL,
  environment: ChildEnvironment,
): Promise<ServerProcess> => launchServer(ServerReady, name, module, environment)

/** Forks a module that starts several servers; its ready message contains their `urls` by name. */
export const startServers = (name: string, module: URL, environment: ChildEnvironment) =>
  launchServer(ServersReady, name, module, environment)
