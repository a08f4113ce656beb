import type { AnalysisLimits } from './analysis-limits.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'

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
  { memoryBytes, cpuMs }: AnalysisLimits,
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
