import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach } from 'vitest'

interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

const started: ChildProcess[] = []

const limitOpenFiles = (openFiles: number) => ({
  execPath: 'sh',
  execArgv: ['-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, process.execPath],
})

/**
 * Starts the gateway as in production. `openFiles` is the hard limit on open files; Node raises the soft limit to it.
 */
export const startGatewayProcess = async (
  environment: Readonly<Record<string, string | undefined>>,
  { openFiles }: { readonly openFiles?: number } = {},
) => {
  const child = fork(new URL(import.meta.resolve('#bin/server.ts')), {
    ...(openFiles === undefined ? {} : limitOpenFiles(openFiles)),
    env: { PATH: process.env.PATH, PUBLIC_BASE_URL: 'https://api.example', DRAIN_MS: '1000', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  started.push(child)
  const lines: LogLine[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  const [{ url, adminUrl }] = await once(child, 'message')
  return { url: String(url), adminUrl: String(adminUrl), child, exited: once(child, 'exit'), lines }
}

/** After each test in a file, kills the gateways that the test started. */
export const killGatewaysAfterEach = () =>
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL')
  })
