import type { AnalysisLimits } from './analysis-limits.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'

// The kernel counts all processes and threads of the user.
const maxProcesses = 1024
const maxOpenFiles = 32

/**
 * The command that runs ffmpeg under the limits of the kernel. prlimit replaces itself by ffmpeg, so both are one
 * process. It may write no byte to a file; the output is a pipe. The CPU limit is a second above that of the worker,
 * which reports the limit.
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
  // No secret of this process. Each further arena of the allocator would take 64 MiB of address space.
  env: { MALLOC_ARENA_MAX: '1' },
})
