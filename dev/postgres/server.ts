import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { withTimeout } from '#shared/with-timeout.ts'
import { postgresEnvironment, programPath } from './binaries.ts'
import type { InstallLocation, SystemUser } from './location.ts'

const pollMs = 20
const startTimeoutMs = 30_000
const stopTimeoutMs = 10_000

export interface ServerOptions {
  readonly location: InstallLocation
  readonly password: string
  readonly port: number | undefined
  readonly durable: boolean
  readonly settings: Readonly<Record<string, string>>
  readonly logFile: string
}

export interface EmbeddedServer {
  readonly url: string
  readonly pid: number
  readonly exited: Promise<unknown>
  stop(): Promise<void>
}

export const launchServer = async (options: ServerOptions): Promise<EmbeddedServer> => {
  const port = options.port ?? (await findFreePort())
  const url = `postgres://postgres:${options.password}@127.0.0.1:${port}/postgres`
  const program = programPath(options.location.native, 'postgres')
  const child = await spawnServer(program, options, port)
  const exit = once(child, 'exit')
  const { pid } = child
  if (pid === undefined) throw new Error(`PostgreSQL could not be started: cannot execute ${program}`)
  const stopWatching = stopOnParentExit(child, options.location.user)
  const stop = async () => {
    stopWatching()
    await stopChild(child, exit, options.location)
  }
  if (await waitForConnections(url, child)) return { url, pid, exited: exit, stop }
  await stop()
  throw new Error(`PostgreSQL did not start: ${await readFatalError(options.logFile)}`)
}

export const findFreePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free TCP port is available')
  return address.port
}

const spawnServer = async (
  program: string,
  { location: place, durable, logFile, ...options }: ServerOptions,
  port: number,
) => {
  const settings = {
    ...options.settings,
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Keeps the previous log, which says why the server ended.
  await rename(logFile, `${logFile}.1`).catch(() => undefined)
  const log = await open(logFile, 'w', 0o600)
  const child = spawn(program, ['-D', place.cluster, ...flags], {
    ...place.user,
    cwd: dirname(place.cluster),
    env: postgresEnvironment(),
    // A separate process group, so that Ctrl-C in the terminal signals only this process, which stops the server last.
    detached: platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  child.once('error', () => undefined)
  await log.close()
  child.unref()
  return child
}

/**
 * Stops the server when this process ends, even by SIGKILL. A shell process waits on a pipe that only this process
 * holds open. Once the pipe closes, it sends SIGINT to the server (fast shutdown). Returns a function that stops the
 * shell process. On Windows or without `/bin/sh`, the next start stops the server instead (`orphan.ts`).
 */
export const stopOnParentExit = (server: ChildProcess, user: SystemUser | undefined): (() => void) => {
  if (platform === 'win32') return () => undefined
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'watch-starter', String(server.pid)], {
    ...user,
    cwd: '/',
    env: {},
    // Otherwise Ctrl-C would end the shell process together with this one.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const stop = () => {
    watcher.kill('SIGKILL')
  }
  watcher.once('error', () => undefined)
  watcher.stdin.once('error', () => undefined)
  watcher.unref()
  server.once('exit', stop)
  return stop
}

const waitForConnections = async (url: string, child: ChildProcess) => {
  const end = performance.now() + startTimeoutMs
  while (child.exitCode === null && child.signalCode === null && performance.now() < end) {
    if (await canConnect(url)) return true
    await sleep(pollMs)
  }
  return false
}

const canConnect = async (url: string) => {
  const sql = postgres(url, { max: 1, connect_timeout: 2, fetch_types: false, onnotice: () => undefined })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const stopChild = async (
  child: ChildProcess,
  exit: Promise<unknown>,
  { native, cluster }: InstallLocation,
) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  // Fast shutdown, which rolls back open transactions and closes sessions. Windows has no signal for it.
  if (platform === 'win32') spawn(programPath(native, 'pg_ctl'), ['stop', '-D', cluster, '-m', 'fast'])
  else child.kill('SIGINT')
  child.ref()
  await withTimeout(stopTimeoutMs, exit, () => child.kill('SIGQUIT'))
  await exit
}

const readFatalError = async (logFile: string) => {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n')
  return lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? ''
}
