import { type ChildProcess, spawn } from 'node:child_process'
import { platform } from 'node:process'
import type { SystemUser } from './location.ts'

/**
 * Stops the server when this process exits or is killed: a shell process waits for the pipe from this process to close.
 * Returns a function that ends the watch. On Windows, the next start stops the orphaned server instead.
 */
export const watchStarter = (server: ChildProcess, user: SystemUser | undefined): (() => void) => {
  if (platform === 'win32') return () => undefined
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'watch-starter', String(server.pid)], {
    ...user,
    cwd: '/',
    env: {},
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
