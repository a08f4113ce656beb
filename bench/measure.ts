import type { Contestant } from './contest.ts'
import { type DownloadOptions, download } from './download.ts'
import { type LoadOptions, load } from './load.ts'
import { cpuSecondsOf, peakMemoryOf, resetPeakMemory } from './process-usage.ts'

type Request = Pick<LoadOptions, 'headers' | 'visitors'> & { readonly path: string }

/** How long a process is asked before it is measured: V8 is not done with ours, which is more code, any sooner. */
export const warmUpSeconds = 6

export interface RequestSample {
  readonly perCpuSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
  readonly peakMb: number
}

export interface DownloadSample {
  readonly perCpuSecond: number
  readonly peakMb: number
}

const measured = async <T>({ pid }: Contestant, work: () => Promise<T>) => {
  await resetPeakMemory(pid)
  const before = await cpuSecondsOf(pid)
  const result = await work()
  return { result, cpuSeconds: (await cpuSecondsOf(pid)) - before, peakMb: await peakMemoryOf(pid) }
}

/** Requests answered, for each second of user and system time they took. */
export const measureRequests = async (
  contestant: Contestant,
  { path, ...options }: Request & Pick<LoadOptions, 'connections' | 'seconds'>,
): Promise<RequestSample> => {
  const url = contestant.url + path
  const { result, cpuSeconds, peakMb } = await measured(contestant, () => load({ url, ...options }))
  const { requests, ...seen } = result
  return { perCpuSecond: requests / cpuSeconds, ...seen, peakMb }
}

interface Downloads extends Request, Pick<DownloadOptions, 'expectedBytes' | 'pace'> {
  readonly readers: number
  /** How many downloads each reader makes, one after the other. */
  readonly each: number
}

/** Megabytes delivered, for each second of user and system time; an answer that is not whole ends the bench. */
export const measureDownloads = async (
  contestant: Contestant,
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
