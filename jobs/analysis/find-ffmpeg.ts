import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { calculateAnalysisLimits } from './analysis-limits.ts'
import { createLimitedCommand } from './limited-command.ts'

/** The programs that decode a file, by absolute path. */
export interface Ffmpeg {
  readonly path: string
  /** ffmpeg never runs without the limits that prlimit (util-linux) sets. */
  readonly prlimitPath: string
}

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
  const { command, args, env } = createLimitedCommand(ffmpeg, ['-version'], calculateAnalysisLimits(0))
  const { status, stdout } = spawnSync(command, args, { env, timeout: startTimeoutMs, encoding: 'latin1' })
  return status === 0 && stdout.startsWith('ffmpeg version')
}

/**
 * Finds ffmpeg at the given path, or on PATH if none is given, and runs it once. Returns null if ffmpeg or prlimit is
 * missing or does not run.
 */
export const findFfmpeg = (configuredPath: string | undefined): Ffmpeg | null => {
  const path = configuredPath === undefined ? findOnPath('ffmpeg') : resolve(configuredPath)
  const prlimitPath = findOnPath('prlimit')
  if (path === undefined || prlimitPath === undefined) return null
  const ffmpeg = { path, prlimitPath }
  return canRun(ffmpeg) ? ffmpeg : null
}
