import { type ChildProcess, spawn } from 'node:child_process'
import { platform } from 'node:process'
import type { User } from './location.ts'

/**
 * Stops the server when this process is gone, however it ended: the system then closes the pipe on which a small
 * shell waits. Returns the end of the watch. On Windows the next start finds the orphan instead.
 */
export const watchStarter = (server: ChildProcess, user: User | undefined): (() => void) => {
  if (platform === 'win32') return () => undefined
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'watch-starter', String(server.pid)], {
    ...user,
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const end = () => {
    watcher.kill('SIGKILL')
  }
  watcher.once('error', () => undefined)
  watcher.stdin.once('error', () => undefined)
  watcher.unref()
  server.once('exit', end)
  return end
}
