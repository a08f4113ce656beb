import {
  currentGateway,
  measureDownloads as measureDownloadsOf,
  measureInterleaved,
  measureRequests,
  warmUpSeconds,
} from './measure.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { createBenchHeaders, startCheckedProxies } from './proxies.ts'
import { downloadTable, ratioTo, targetTable } from './tables.ts'
import { largeBytes, largePath, smallPath } from './upstream-responses.ts'

const slowPace = { restMs: 40, untilMs: 4000 }

export const measureDownloads = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds } = options
  const headers = await createBenchHeaders(bench)
  const contestants = await startCheckedProxies(bench, options, headers)
  const large = { path: largePath, expectedBytes: largeBytes, headers }
  // These run first, because memory left over from other requests would count against the slow readers.
  const slowReaders = await measureInterleaved(contestants, 1, (contestant) =>
    measureDownloadsOf(contestant, { ...large, readers: 20, each: 1, pace: slowPace }),
  )
  for (const contestant of contestants) {
    await measureRequests(contestant, { path: smallPath, headers, connections: 32, seconds: warmUpSeconds })
    await measureDownloadsOf(contestant, { ...large, readers: 4, each: 1 })
  }
  const downloads = await measureInterleaved(contestants, rounds, (contestant) =>
    measureDownloadsOf(contestant, { ...large, readers: 4, each: 3 }),
  )
  const nginxTargets = downloads.has('nginx')
    ? [
        {
          what: 'MB per CPU second, ratio to nginx',
          measured: ratioTo(downloads, 'nginx').median,
          atLeast: 0.85,
        },
      ]
    : []
  return [
    'Right after the start, GET of 100 MiB by 20 slow readers (64 KiB every 40 ms for 4 s, then the rest at full speed):',
    downloadTable(slowReaders),
    `GET of 100 MiB, 4 readers, ${rounds} rounds of 12 downloads:`,
    downloadTable(downloads),
    'Targets:',
    targetTable([
      ...nginxTargets,
      {
        what: 'peak memory with 20 slow readers of 100 MiB, MB',
        measured: Math.max(...(slowReaders.get(currentGateway) ?? []).map(({ peakMb }) => peakMb)),
        atMost: 200,
      },
    ]),
  ].join('\n\n')
}
