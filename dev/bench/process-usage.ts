import { readFile, writeFile } from 'node:fs/promises'

// USER_HZ, which is 100 on every architecture that Node runs on.
const ticksPerSecond = 100

const listChildren = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number)

/** Lists a process and its descendants, because nginx forwards in a worker process. */
const listProcessTree = async (pid: number): Promise<number[]> => {
  const children = await Promise.all((await listChildren(pid)).map(listProcessTree))
  return [pid, ...children.flat()]
}

const total = async (pid: number, measure: (pid: number) => Promise<number>) => {
  const parts = await Promise.all((await listProcessTree(pid)).map(measure))
  return parts.reduce((sum, part) => sum + part, 0)
}

// The name in the second field may contain spaces. After it, utime and stime are the 12th and 13th.
const readTicks = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [utime = 0, stime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return utime + stime
}

const readPeakKib = async (pid: number) =>
  Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])

/** Returns user and system time of a process and its children. */
export const cpuSecondsOf = async (pid: number) => (await total(pid, readTicks)) / ticksPerSecond

/** Returns user and system time of a process without its children. */
export const ownCpuSecondsOf = async (pid: number) => (await readTicks(pid)) / ticksPerSecond

/** Returns the largest resident set since the last reset, in MB. */
export const peakMemoryOf = async (pid: number) => ((await total(pid, readPeakKib)) * 1024) / 1e6

export const resetPeakMemory = async (pid: number) => {
  for (const member of await listProcessTree(pid)) await writeFile(`/proc/${member}/clear_refs`, '5')
}
