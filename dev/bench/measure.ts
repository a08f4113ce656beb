import { type DownloadOptions, download } from './download.ts'
import { type LoadOptions, load } from './load.ts'
import type { Peer } from './measure-interleaved.ts'
import { cpuSecondsOf, ownCpuSecondsOf, peakMemoryOf, resetPeakMemory } from './process-tree.ts'

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
  /** How many downloads each reader makes, one after another. */
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
