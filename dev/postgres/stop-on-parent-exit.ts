import { type ChildProcess, spawn } from 'node:child_process'
import { platform } from 'node:process'
import type { SystemUser } from './location.ts'

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
