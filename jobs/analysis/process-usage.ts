import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** What a process has used so far. */
export interface ProcessUsage {
  readonly peakMemoryBytes: number
  readonly cpuMs: number
}

// proc_pid_stat(5) counts in clock ticks, of which Linux shows a hundred a second whatever the kernel was built with.
const msPerTick = 10

const readLinuxUsage = async (pid: number): Promise<ProcessUsage> => {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1'),
    readFile(`/proc/${pid}/status`, 'latin1'),
  ])
  // The name of the program stands in parentheses and may hold anything.
  const [, userTicks, systemTicks] =
    /^(?:\S+ ){11}(\d+) (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2)) ?? []
  const peakKiB = /^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0
  return {
    peakMemoryBytes: Number(peakKiB) * 1024,
    cpuMs: (Number(userTicks) + Number(systemTicks)) * msPerTick,
  }
}

const run = promisify(execFile)

// Elsewhere `ps` tells the size of this moment alone: a peak between two readings is not seen. Windows has no `ps`.
const readPosixUsage = async (pid: number): Promise<ProcessUsage> => {
  const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(pid)])
  const [kiB = '', time = ''] = stdout.trim().split(/\s+/)
  const seconds = time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0)
  return { peakMemoryBytes: Number(kiB) * 1024, cpuMs: seconds * 1000 }
}

/** What a process has used; null where it has ended or this platform does not tell. */
export const readProcessUsage = (pid: number): Promise<ProcessUsage | null> =>
  (process.platform === 'linux' ? readLinuxUsage(pid) : readPosixUsage(pid)).catch(() => null)
