import { fork } from 'node:child_process'

export interface ChildProcess {
  readonly url: string
  readonly pid: number
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>
  /** Asks the process to finish what it is doing and end; it is ended by force after `graceMs`. */
  stop(graceMs?: number): Promise<void>
}

const isReadyMessage = (message: unknown): message is { readonly url: string } =>
  typeof message === 'object' && message !== null && 'url' in message && typeof message.url === 'string'

/**
 * Starts a module of ours as a process of its own and waits until it says where it listens. The child sees the
 * parent's end as a closed channel and ends too, also after `kill -9`.
 */
export const startChild = async (
  name: string,
  module: URL,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ChildProcess> => {
  const child = fork(module, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) =>
      isReadyMessage(message)
        ? resolve(message.url)
        : reject(new Error(`${name} did not say where it listens`)),
    )
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended before it was ready (exit code ${code})`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    exited,
    async stop(graceMs = 15_000) {
      child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await exited
      clearTimeout(force)
    },
  }
}
