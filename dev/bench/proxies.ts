import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkOutBaseline, type GatewayProcessOptions, startGatewayProcess } from './gateway-process.ts'
import { measuredCpu } from './machine.ts'
import { currentGateway, type Peer } from './measure.ts'
import { type Bench, type BenchOptions, progress } from './open-bench.ts'
import { startProgram } from './start-process.ts'
import { smallBytes, smallPath } from './upstream-responses.ts'

const baseline = 'baseline'
const peersFolder = join(import.meta.dirname, 'peers')

const modules: Readonly<
  Record<string, { readonly module: string; readonly environment?: Readonly<Record<string, string>> }>
> = {
  'bare node:http + undici': { module: 'bare-forwarder.ts' },
  // With what a gateway does for every request (`gateway-duties.ts`), but without routes, limits or traffic shares.
  'bare with duties': { module: 'bare-forwarder.ts', environment: { DUTIES: 'on' } },
  '@fastify/http-proxy': { module: 'peers/fastify-http-proxy.mjs' },
  'fast-gateway': { module: 'peers/fast-gateway.mjs' },
  'http-proxy-middleware': { module: 'peers/http-proxy-middleware.mjs' },
}

/** They have their own package, because only the benchmark uses them. */
export const installPeers = () => {
  if (existsSync(join(peersFolder, 'node_modules'))) return
  progress.print('Installing the peers.')
  execFileSync('npm', ['ci', '--prefix', peersFolder], { stdio: ['ignore', 'ignore', 'inherit'] })
}

type Headers = Readonly<Record<string, string>>

export const createBenchHeaders = async ({ issuer }: Bench): Promise<Headers> => ({
  Accept: 'application/json',
  'Accept-Encoding': 'gzip, br',
  Authorization: `Bearer ${await issuer.mintToken('acct_bench')}`,
  'User-Agent': 'bench/1.0',
})

/** Throws unless a peer returns 200, from this runtime if it is a gateway. Returns the number of bytes. */
export const checkServed = async (
  { name, url }: Peer,
  path: string,
  headers: Headers,
  expected: 'native' | 'proxy',
) => {
  const response = await fetch(url + path, { headers })
  const { byteLength } = await response.arrayBuffer()
  const runtime = response.headers.get('x-service-core-runtime') ?? expected
  if (response.status === 200 && runtime === expected) return byteLength
  throw new Error(`${name} returned ${response.status} from ${runtime} for ${path}, not 200 from ${expected}`)
}

interface ProxyOptions extends BenchOptions {
  readonly keepAliveS?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the upstream, which keeps idle connections for `keepAliveS`, or forever if that is 0. */
export const startUpstream = async ({ stopAtEnd }: Bench, keepAliveS: number) =>
  stopAtEnd(await startProgram('upstream.ts', { environment: { KEEP_ALIVE_S: String(keepAliveS) } }))

/** Starts the gateway and, unless it is left out, the baseline. */
export const startGateways = async (
  bench: Bench,
  options: GatewayProcessOptions,
  hasBaseline = true,
): Promise<Peer[]> => {
  const start = async (name: string, own: GatewayProcessOptions) => ({
    name,
    ...bench.stopAtEnd(await startGatewayProcess(bench, { ...options, ...own })),
  })
  const gateway = await start(currentGateway, {})
  if (!hasBaseline) return [gateway]
  const projectFolder = await checkOutBaseline(bench)
  return [gateway, await start(baseline, { projectFolder, profileFolder: undefined })]
}

const startProxies = async (bench: Bench, options: ProxyOptions): Promise<Peer[]> => {
  const { profileFolder, peers, keepAliveS = 0, environment } = options
  const isChosen = (name: string) => peers?.includes(name) ?? true
  const upstream = await startUpstream(bench, keepAliveS)
  const gateway = { coreUrl: upstream.url, profileFolder, ...(environment && { environment }) }
  const contestants = await startGateways(bench, gateway, isChosen(baseline))
  for (const [name, { module, environment: own }] of Object.entries(modules)) {
    if (!isChosen(name)) continue
    const peer = await startProgram(module, {
      environment: { UPSTREAM: upstream.url, ...own, ...environment },
      cpu: measuredCpu,
      outputFile: join(bench.folder, `${name.replaceAll(/\W+/g, '-')}.log`),
    })
    contestants.push({ name, ...bench.stopAtEnd(peer) })
  }
  return contestants
}

/** Starts the chosen proxies, the gateway first, in front of the same upstream. Checks that each forwards a request. */
export const startCheckedProxies = async (
  bench: Bench,
  options: ProxyOptions,
  headers: Headers,
): Promise<Peer[]> => {
  installPeers()
  const contestants = await startProxies(bench, options)
  for (const contestant of contestants) {
    const bytes = await checkServed(contestant, smallPath, headers, 'proxy')
    // A peer that returns anything other than the upstream's response cannot be compared.
    if (bytes !== smallBytes) throw new Error(`${contestant.name} returned ${bytes} bytes`)
  }
  return contestants
}
