import { readFile, writeFile } from 'node:fs/promises'
import { type ProcessUsage, readProcessUsage } from '#shared/processes/process-usage.ts'
import { type DownloadOptions, download } from './download.ts'
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

const ownCpuSecondsOf = async (pid: number) => (await usageOf(pid)).cpuMs / 1000

/** Returns the peak resident set size since the last reset, in MB: the sum for the process and its descendants. */
const peakMemoryOf = async (pid: number) => (await total(pid, ({ peakMemoryBytes }) => peakMemoryBytes)) / 1e6

const resetPeakMemory = async (pid: number) => {
  for (const member of await listProcessTree(pid)) await writeFile(`/proc/${member}/clear_refs`, '5')
}

type Request = Pick<LoadOptions, 'headers'> & { readonly path: string }

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

export interface DownloadSample {
  readonly perCpuSecond: number
  readonly peakMb: number
}

const measured = async <T>({ pid }: Peer, work: () => Promise<T>) => {
  await resetPeakMemory(pid)
  const [before, ownBefore] = [await cpuSecondsOf(pid), await ownCpuSecondsOf(pid)]
  const result = await work()
  return {
    result,
    cpuSeconds: (await cpuSecondsOf(pid)) - before,
    ownCpuSeconds: (await ownCpuSecondsOf(pid)) - ownBefore,
    peakMb: await peakMemoryOf(pid),
  }
}

export const measureRequests = async (
  contestant: Peer,
  { path, ...options }: Request & Pick<LoadOptions, 'connections' | 'seconds'>,
): Promise<RequestSample> => {
  const url = contestant.url + path
  const { result, cpuSeconds, ownCpuSeconds, peakMb } = await measured(contestant, () =>
    load({ url, ...options }),
  )
  const { requests, ...seen } = result
  return {
    perCpuSecond: requests / cpuSeconds,
    perOwnCpuSecond: requests / ownCpuSeconds,
    ...seen,
    peakMb,
  }
}

interface Downloads extends Request, Pick<DownloadOptions, 'expectedBytes' | 'pace'> {
  readonly readers: number
  readonly each: number
}

/** Measures megabytes per second of CPU time (user and system). Rejects if a response is incomplete. */
export const measureDownloads = async (
  contestant: Peer,
  { path, readers, each, ...options }: Downloads,
): Promise<DownloadSample> => {
  const read = async () => {
    for (let count = 0; count < each; count++) await download({ url: contestant.url + path, ...options })
  }
  const { cpuSeconds, peakMb } = await measured(contestant, () =>
    Promise.all(Array.from({ length: readers }, read)),
  )
  return { perCpuSecond: (readers * each * options.expectedBytes) / 1e6 / cpuSeconds, peakMb }
}
