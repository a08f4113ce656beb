import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { calculateProcessLimits, type ProcessLimits } from './analysis-limits.ts'

export interface Ffmpeg {
  readonly path: string
  /** ffmpeg never runs without the limits that prlimit (util-linux) sets. */
  readonly prlimitPath: string
}

// High, because the kernel counts all of the user's processes and threads, not only ffmpeg's.
const maxProcesses = 1024
const maxOpenFiles = 32

/**
 * Returns the command that runs ffmpeg under the kernel's limits. prlimit replaces itself with ffmpeg, so there is only
 * one process. ffmpeg may not write to files; its output goes to a pipe. The CPU limit is a second above the worker's
 * own, so that the worker stops ffmpeg first and can report why.
 */
export const createLimitedCommand = (
  { path, prlimitPath }: Ffmpeg,
  args: readonly string[],
  { memoryBytes, cpuMs }: ProcessLimits,
) => ({
  command: prlimitPath,
  args: [
    `--as=${memoryBytes}`,
    `--cpu=${Math.ceil(cpuMs / 1000) + 1}`,
    `--nproc=${maxProcesses}`,
    `--nofile=${maxOpenFiles}`,
    '--fsize=0',
    '--core=0',
    '--',
    path,
    ...args,
  ],
  // No secrets are passed on. There is one allocator arena, because each additional one would take 64 MiB of address
  // space.
  env: { MALLOC_ARENA_MAX: '1' },
})

const startTimeoutMs = 10_000

const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const findOnPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)

const canRun = (ffmpeg: Ffmpeg) => {
  const { command, args, env } = createLimitedCommand(ffmpeg, ['-version'], calculateProcessLimits(0))
  const { status, stdout } = spawnSync(command, args, { env, timeout: startTimeoutMs, encoding: 'latin1' })
  return status === 0 && stdout.startsWith('ffmpeg version')
}

export const findFfmpeg = (configuredPath: string | undefined): Ffmpeg | null => {
  const path = configuredPath === undefined ? findOnPath('ffmpeg') : resolve(configuredPath)
  const prlimitPath = findOnPath('prlimit')
  if (path === undefined || prlimitPath === undefined) return null
  const ffmpeg = { path, prlimitPath }
  return canRun(ffmpeg) ? ffmpeg : null
}
