import { readFile, writeFile } from 'node:fs/promises'
import { type ProcessUsage, readProcessUsage } from '#shared/processes/process-usage.ts'
import { type LoadOptions, load } from './load.ts'
import { reportStep } from './open-bench.ts'
import type { StartedProcess } from './start-process.ts'

export interface Peer extends StartedProcess {
  readonly name: string
}

export const currentGateway = 'crossfade'

/**
 * Measures every contestant once per round. Each round starts with a different one, so that order and slow phases of
 * the machine affect all of them alike. Samples are in round order.
 */
export const measureInterleaved = async <C extends { readonly name: string }, S>(
  contestants: readonly C[],
  rounds: number,
  measure: (contestant: C) => Promise<S>,
): Promise<ReadonlyMap<string, S[]>> => {
  const samples = new Map<string, S[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      reportStep(`round ${round + 1} of ${rounds}, ${contestant.name}`)
      samples.get(contestant.name)?.push(await measure(contestant))
    }
  }
  return samples
}

const listChildren = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number)

/** Lists a process and its descendants. They count too, because the gateway compares in a child process. */
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

const ownCpuSecondsOf = async (pid: number) => (await usageOf(pid)).cpuMs / 1000

/** Returns the peak resident set size since the last reset, in MB: the sum for the process and its descendants. */
const peakMemoryOf = async (pid: number) => (await total(pid, ({ peakMemoryBytes }) => peakMemoryBytes)) / 1e6

const resetPeakMemory = async (pid: number) => {
  for (const member of await listProcessTree(pid)) await writeFile(`/proc/${member}/clear_refs`, '5')
}

/** Warm-up before each measurement. V8 needs this long to optimize the gateway, which has more code than its peers. */
export const warmUpSeconds = 6

export interface RequestSample {
  readonly perCpuSecond: number
  /** Excludes the CPU time of child processes, which have a lower priority. */
  readonly perOwnCpuSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
  readonly peakMb: number
}

export const measureRequests = async (
  { url, pid }: Peer,
  { path, ...options }: Omit<LoadOptions, 'url'> & { readonly path: string },
): Promise<RequestSample> => {
  await resetPeakMemory(pid)
  const [before, ownBefore] = [await cpuSecondsOf(pid), await ownCpuSecondsOf(pid)]
  const { requests, ...seen } = await load({ url: url + path, ...options })
  return {
    perCpuSecond: requests / ((await cpuSecondsOf(pid)) - before),
    perOwnCpuSecond: requests / ((await ownCpuSecondsOf(pid)) - ownBefore),
    ...seen,
    peakMb: await peakMemoryOf(pid),
  }
}
