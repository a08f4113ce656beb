import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach } from 'vitest'
import { requestAt } from '#test/support/request-at.ts'

interface LogLine {
  readonly msg: string
  readonly instance: string
  readonly [field: string]: unknown
}

export interface ReportedProcess {
  readonly instance: string
  readonly pid: number
  readonly status: string
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const started: { child: ChildProcess; pids: Set<number> }[] = []

const killAll = () => {
  for (const { child, pids } of started.splice(0)) {
    child.kill('SIGKILL')
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  }
}

interface StartOptions {
  readonly program?: URL
  /** The hard limit of open files, to which Node raises the soft one. */
  readonly openFiles?: number
}

const limitOpenFiles = (openFiles: number) => ({
  execPath: 'sh',
  execArgv: ['-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, process.execPath],
})

/** Starts a gateway of one or several processes; all of them are killed after each test. */
export const startProcesses = async (
  environment: Readonly<Record<string, string | undefined>>,
  { program = new URL(import.meta.resolve('#gateway/server.ts')), openFiles }: StartOptions = {},
) => {
  const child = fork(program, {
    ...(openFiles === undefined ? {} : limitOpenFiles(openFiles)),
    env: { PATH: process.env.PATH, PUBLIC_BASE_URL: 'https://api.example', DRAIN_MS: '1000', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const pids = new Set<number>()
  started.push({ child, pids })
  const lines: LogLine[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  const [{ url, adminUrl }] = await once(child, 'message')

  /** As the admin listener describes them. */
  const listProcesses = async (): Promise<readonly ReportedProcess[]> => {
    const { body } = await requestAt(String(adminUrl), 'GET', '/readyz')
    // One process without a supervisor does not list itself.
    const processes: readonly ReportedProcess[] = body.processes ?? []
    for (const { pid } of processes) pids.add(pid)
    return processes
  }
  await listProcesses()
  return {
    url: String(url),
    adminUrl: String(adminUrl),
    child,
    exited: once(child, 'exit'),
    lines,
    listProcesses,
    listRunning: () => [...pids].filter(isRunning),
  }
}

/** Registers the end of the processes that the tests of a file start. */
export const killProcessesAfterEach = () => afterEach(killAll)
