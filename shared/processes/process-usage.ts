import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface ProcessUsage {
  readonly memoryBytes: number
  readonly peakMemoryBytes: number
  readonly cpuMs: number
}

// proc_pid_stat(5) reports clock ticks; Linux exposes 100 per second on every kernel.
const msPerTick = 10

const readLinuxUsage = async (pid: number): Promise<ProcessUsage | null> => {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1'),
    readFile(`/proc/${pid}/status`, 'latin1'),
  ])
  // The second field is the program name in parentheses, which may itself contain spaces and parentheses.
  const [, userTicks, systemTicks] =
    /^(?:\S+ ){11}(\d+) (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2)) ?? []
  const bytesOf = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024
  return {
    memoryBytes: bytesOf('VmRSS'),
    peakMemoryBytes: bytesOf('VmHWM'),
    cpuMs: (Number(userTicks) + Number(systemTicks)) * msPerTick,
  }
}

const run = promisify(execFile)

// `ps` reports only the current size, so a peak between two samples is missed. Windows has no `ps`.
const readPosixUsage = async (pid: number): Promise<ProcessUsage> => {
  const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(pid)])
  const [kiB = '', time = ''] = stdout.trim().split(/\s+/)
  const seconds = time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0)
  const memoryBytes = Number(kiB) * 1024
  return { memoryBytes, peakMemoryBytes: memoryBytes, cpuMs: seconds * 1000 }
}

export const readProcessUsage = (pid: number): Promise<ProcessUsage | null> =>
  (process.platform === 'linux' ? readLinuxUsage(pid) : readPosixUsage(pid)).catch(() => null)

export const watchUsage = (
  pid: number | null,
  intervalMs: number,
  onSample: (usage: ProcessUsage) => void,
  readUsage = readProcessUsage,
): (() => void) => {
  if (pid === null) return () => undefined
  let isStopped = false
  const sample = async () => {
    const usage = await readUsage(pid)
    if (usage && !isStopped) onSample(usage)
    if (!isStopped) timer = setTimeout(sample, intervalMs).unref()
  }
  let timer = setTimeout(sample, intervalMs).unref()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
