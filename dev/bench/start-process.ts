import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { withTimeout } from '#shared/with-timeout.ts'

export interface StartedProcess {
  readonly url: string
  readonly pid: number
  /** Sends a message to the process and resolves to the next message from the process. */
  ask(message: string): Promise<unknown>
  stop(): Promise<void>
}

export interface ProcessOptions {
  readonly command: string
  readonly arguments: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The CPU that the process runs on. If unset, it runs where the benchmark runs. */
  readonly cpu?: number
  /** The file for its standard output. If unset, the output is discarded. */
  readonly outputFile?: string
}

// Long enough for the gateway to drain and then write its profile.
const graceMs = 20_000

const pinToCpu = ({ command, cpu, ...options }: ProcessOptions) =>
  cpu === undefined
    ? { command, arguments: [...options.arguments] }
    : { command: 'taskset', arguments: ['--cpu-list', String(cpu), command, ...options.arguments] }

const spawnProcess = (options: ProcessOptions) => {
  const { command, arguments: args } = pinToCpu(options)
  const output = options.outputFile === undefined ? 'ignore' : openSync(options.outputFile, 'w')
  const env = { ...process.env, NODE_ENV: 'production', ...options.environment }
  const child = spawn(command, args, { env, stdio: ['ignore', output, 'inherit', 'ipc'] })
  if (typeof output === 'number') closeSync(output)
  return child
}

const isReadyMessage = (message: unknown): message is { readonly url: string } =>
  typeof message === 'object' && message !== null && 'url' in message && typeof message.url === 'string'

const waitForAddress = (child: ChildProcess, name: string) =>
  new Promise<string>((resolve, reject) => {
    child.on('message', (message) => {
      if (isReadyMessage(message)) resolve(message.url)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} exited before it was ready (exit code ${code})`)))
  })

/**
 * Starts a process. `readyAt` waits until it is ready and returns its address. By default, the process reports both.
 */
export const startProcess = async (
  options: ProcessOptions,
  readyAt?: () => Promise<string>,
): Promise<StartedProcess> => {
  const child = spawnProcess(options)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await withTimeout(graceMs, exited, () => child.kill('SIGKILL'))
    await exited
  }
  const ask = (message: string) =>
    new Promise<unknown>((resolve) => {
      child.once('message', resolve)
      child.send(message)
    })
  const reported = waitForAddress(child, options.arguments.at(-1) ?? options.command)
  try {
    const url = await (readyAt ? Promise.race([readyAt(), reported]) : reported)
    return { url, pid: child.pid ?? 0, ask, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
