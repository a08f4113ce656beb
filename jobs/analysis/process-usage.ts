import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The resources that a process has used so far. */
export interface ProcessUsage {
  readonly peakMemoryBytes: number
  readonly cpuMs: number
}

// proc_pid_stat(5) reports clock ticks, which Linux exposes as 100 per second on every kernel.
const msPerTick = 10

const readLinuxUsage = async (pid: number): Promise<ProcessUsage> => {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1'),
    readFile(`/proc/${pid}/status`, 'latin1'),
  ])
  // The second field is the program name in parentheses, which may contain spaces and parentheses.
  const [, userTicks, systemTicks] =
    /^(?:\S+ ){11}(\d+) (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2)) ?? []
  const peakKiB = /^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0
  return {
    peakMemoryBytes: Number(peakKiB) * 1024,
    cpuMs: (Number(userTicks) + Number(systemTicks)) * msPerTick,
  }
}

const run = promisify(execFile)

// `ps` reports the current size only, so a peak between two samples is missed. Windows has no `ps`.
const readPosixUsage = async (pid: number): Promise<ProcessUsage> => {
  const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(pid)])
  const [kiB = '', time = ''] = stdout.trim().split(/\s+/)
  const seconds = time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0)
  return { peakMemoryBytes: Number(kiB) * 1024, cpuMs: seconds * 1000 }
}

/** Reads the usage of a process. Returns null if it has exited or the platform does not report usage. */
export const readProcessUsage = (pid: number): Promise<ProcessUsage | null> =>
  (process.platform === 'linux' ? readLinuxUsage(pid) : readPosixUsage(pid)).catch(() => null)
