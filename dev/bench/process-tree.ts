import { readFile, writeFile } from 'node:fs/promises'
import { type ProcessUsage, readProcessUsage } from '#shared/processes/process-usage.ts'

const listChildren = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number)

/** Lists a process and its descendants. They count too, because nginx forwards in a worker process. */
const listProcessTree = async (pid: number): Promise<number[]> => {
  const children = await Promise.all((await listChildren(pid)).map(listProcessTree))
  return [pid, ...children.flat()]
}

const usageOf = async (pid: number) => {
  const usage = await readProcessUsage(pid)
  if (usage === null) throw new Error(`process ${pid} has exited`)
  return usage
}

const total = async (pid: number, measure: (usage: ProcessUsage) => number) => {
  const usages = await Promise.all((await listProcessTree(pid)).map(usageOf))
  return usages.reduce((sum, usage) => sum + measure(usage), 0)
}

export const cpuSecondsOf = async (pid: number) => (await total(pid, ({ cpuMs }) => cpuMs)) / 1000

export const ownCpuSecondsOf = async (pid: number) => (await usageOf(pid)).cpuMs / 1000

/** Returns the peak resident set size since the last reset, in MB: the sum for the process and its descendants. */
export const peakMemoryOf = async (pid: number) =>
  (await total(pid, ({ peakMemoryBytes }) => peakMemoryBytes)) / 1e6

export const resetPeakMemory = async (pid: number) => {
  for (const member of await listProcessTree(pid)) await writeFile(`/proc/${member}/clear_refs`, '5')
}
