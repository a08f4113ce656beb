import { fork } from 'node:child_process'
import * as z from 'zod'
import { withTimeout } from '#shared/with-timeout.ts'

export interface ChildProcess {
  readonly pid: number
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>
  /** Asks the process to finish what it is doing and end; it is ended by force after `graceMs`. */
  stop(graceMs?: number): Promise<void>
}

export interface ServerProcess extends ChildProcess {
  readonly url: string
}

type Environment = Readonly<Record<string, string | undefined>>

const Listening = z.object({ url: z.string() })
const AllListening = z.object({ urls: z.record(z.string(), z.string()) })

const readyWithinMs = 60_000

// The child sees the parent's end as a closed channel and ends too, also after `kill -9`.
const launch = async (name: string, module: URL, environment: Environment) => {
  const child = fork(module, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const starting = new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended before it was ready (exit code ${code})`)))
  })
  const ready = await withTimeout(readyWithinMs, starting, () => {
    child.kill('SIGKILL')
    throw new Error(`${name} was not ready within ${readyWithinMs / 1000} s`)
  })
  const stop = async (graceMs = 15_000) => {
    child.kill('SIGTERM')
    await withTimeout(graceMs, exited, () => child.kill('SIGKILL'))
    await exited
  }
  return { process: { pid: child.pid ?? 0, exited, stop }, ready }
}

const launchSaying = async <T>(said: z.ZodType<T>, name: string, module: URL, environment: Environment) => {
  const { process, ready } = await launch(name, module, environment)
  const heard = said.safeParse(ready)
  if (heard.success) return { ...process, ...heard.data }
  await process.stop()
  throw new Error(`${name} did not say where it listens`)
}

/** Starts a module of ours as a process of its own and waits until it says that it is ready. */
export const startChild = async (
  name: string,
  module: URL,
  environment: Environment,
): Promise<ChildProcess> => (await launch(name, module, environment)).process

/** The same for one that listens, and says where. */
export const startServer = (name: string, module: URL, environment: Environment): Promise<ServerProcess> =>
  launchSaying(Listening, name, module, environment)

/** The same for one that listens in several places, each of which has a name. */
export const startServers = (name: string, module: URL, environment: Environment) =>
  launchSaying(AllListening, name, module, environment)
