import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { startChild } from '#shared/processes/child-process.ts'

export interface StartedProcess {
  readonly url: string
  readonly pid: number
  /** Sends a message to the process and resolves to the next message from the process. */
  ask(message: string): Promise<unknown>
  stop(): Promise<void>
}

interface ProcessOptions {
  readonly command: string
  readonly arguments: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The CPU that the process runs on. If unset, it runs where the benchmark runs. */
  readonly cpu?: number
  readonly outputFile?: string
}

// Long enough for the gateway to drain and then write its profile.
const graceMs = 20_000

const Ready = z.object({ url: z.string() })

const spawnProcess = ({ command, arguments: args, environment, cpu, outputFile }: ProcessOptions) => {
  const output = outputFile === undefined ? 'ignore' : openSync(outputFile, 'w')
  const child = startChild({
    ...(cpu === undefined
      ? { command, args }
      : { command: 'taskset', args: ['--cpu-list', String(cpu), command, ...args] }),
    env: { ...process.env, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', output, 'inherit', 'ipc'],
    endsByItself: true,
  })
  if (typeof output === 'number') closeSync(output)
  return child
}

/**
 * Starts a process. `readyAt` waits until it is ready and returns its address. By default, the process reports both.
 */
export const startProcess = async (
  options: ProcessOptions,
  readyAt?: () => Promise<string>,
): Promise<StartedProcess> => {
  const child = spawnProcess(options)
  const stop = () => child.stop(graceMs)
  const ask = (message: string) =>
    new Promise<unknown>((resolve) => {
      child.process?.once('message', resolve)
      child.process?.send(message)
    })
  const readReport = async () => {
    const ready = await child.firstMessage
    if (ready) return Ready.parse(ready.value).url
    const { code, error } = await child.exited
    if (error) throw error
    const name = options.arguments.at(-1) ?? options.command
    throw new Error(`${name} exited before it was ready (exit code ${code})`)
  }
  const reported = readReport()
  try {
    const url = await (readyAt ? Promise.race([readyAt(), reported]) : reported)
    return { url, pid: child.pid ?? 0, ask, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export const startProgram = (program: string, options: Omit<ProcessOptions, 'command' | 'arguments'>) =>
  startProcess({
    command: process.execPath,
    arguments: [join(import.meta.dirname, program)],
    ...options,
  })
