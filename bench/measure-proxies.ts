import { baseline } from './baseline.ts'
import {
  type DownloadSample,
  measureDownloads,
  measureRequests,
  type RequestSample,
  warmUpSeconds,
} from './measure.ts'
import { currentGateway, measureInterleaved, type Peer } from './measure-interleaved.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { installPeers, startProxies } from './proxies.ts'
import { type BenchTarget, downloadTable, ratioTo, requestTable, targetTable } from './tables.ts'
import { largeBytes, largePath, smallBytes, smallPath } from './upstream-responses.ts'

const largeResponse = { path: largePath, expectedBytes: largeBytes }
const slowPace = { restMs: 40, untilMs: 4000 }

// A peer that returns something else than the upstream cannot be compared.
const checkForwards = async ({ name, url }: Peer, headers: Record<string, string>) => {
  const response = await fetch(url + smallPath, { headers })
  const { byteLength } = await response.arrayBuffer()
  if (response.status !== 200 || byteLength !== smallBytes) {
    throw new Error(`${name} returned ${response.status} with ${byteLength} bytes`)
  }
  if (
    (name === currentGateway || name === baseline) &&
    response.headers.get('x-service-core-runtime') !== 'proxy'
  ) {
    throw new Error(`${smallPath} is not forwarded: choose a path of a proxied row`)
  }
}

interface ProxySamples {
  readonly requests: ReadonlyMap<string, RequestSample[]>
  readonly downloads: ReadonlyMap<string, DownloadSample[]>
  readonly crowds: ReadonlyMap<string, RequestSample[]>
  readonly slowReaders: ReadonlyMap<string, DownloadSample[]>
}

const targetsOf = ({ requests, downloads, crowds, slowReaders }: ProxySamples): BenchTarget[] => {
  const ratios = [
    { name: '@fastify/http-proxy', samples: requests, atLeast: 1.4 },
    { name: 'fast-gateway', samples: requests, atLeast: 1.4 },
    { name: 'bare node:http + undici', samples: requests, atLeast: 0.9 },
    { name: 'nginx', samples: downloads, atLeast: 0.85 },
  ].filter(({ name, samples }) => samples.has(name))
  return [
    ...ratios.map(({ name, samples, atLeast }) => ({
      what: `${samples === requests ? 'requests per CPU second' : 'MB per CPU second'}, ratio to ${name}`,
      measured: ratioTo(samples, name).median,
      atLeast,
    })),
    {
      what: 'peak memory with 20 slow readers of 100 MiB, MB',
      measured: Math.max(...(slowReaders.get(currentGateway) ?? []).map(({ peakMb }) => peakMb)),
      atMost: 200,
    },
    {
      what: 'errors with 2,000 connections',
      measured: (crowds.get(currentGateway) ?? []).reduce((sum, { errors }) => sum + errors, 0),
      atMost: 0,
    },
  ]
}

/** Measures the gateway as a proxy beside its peers. Resolves to the tables. */
export const measureProxies = async (bench: Bench, options: BenchOptions): Promise<string> => {
  installPeers()
  const { rounds, seconds } = options
  const contestants = await startProxies(bench, options)
  const headers = {
    Accept: 'application/json',
    'Accept-Encoding': 'gzip, br',
    Authorization: `Bearer ${await bench.issuer.mintToken('acct_bench')}`,
    'User-Agent': 'bench/1.0',
  }
  const small = { path: smallPath, headers }
  const large = { ...largeResponse, headers }
  for (const contestant of contestants) await checkForwards(contestant, headers)
  // First, because memory left over from other requests would be counted for the readers.
  const slowReaders = await measureInterleaved(contestants, 1, (contestant) =>
    measureDownloads(contestant, { ...large, readers: 20, each: 1, pace: slowPace }),
  )
  for (const contestant of contestants) {
    await measureRequests(contestant, { ...small, connections: 32, seconds: warmUpSeconds })
    await measureDownloads(contestant, { ...large, readers: 4, each: 1 })
  }

  const requests = await measureInterleaved(contestants, rounds, (contestant) =>
    measureRequests(contestant, { ...small, connections: 32, seconds }),
  )
  const downloads = await measureInterleaved(contestants, rounds, (contestant) =>
    measureDownloads(contestant, { ...large, readers: 4, each: 3 }),
  )
  const crowds = await measureInterleaved(contestants, 1, (contestant) =>
    measureRequests(contestant, { ...small, connections: 2000, seconds }),
  )
  return [
    'GET of 100 MiB, 20 readers that take 64 KiB each 40 ms for 4 s and then the rest, right after the start:',
    downloadTable(slowReaders),
    `GET of 1 KiB, 32 connections, ${rounds} rounds of ${seconds} s:`,
    requestTable(requests),
    `GET of 100 MiB, 4 readers, ${rounds} rounds of 12 downloads:`,
    downloadTable(downloads),
    `GET of 1 KiB, 2,000 connections, ${seconds} s:`,
    requestTable(crowds),
    'Targets:',
    targetTable(targetsOf({ requests, downloads, crowds, slowReaders })),
  ].join('\n\n')
}
