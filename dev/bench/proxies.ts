import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { baseline, checkOutBaseline, startGatewayProcess } from './gateway-process.ts'
import { hasNginx, measuredCpu } from './machine.ts'
import { currentGateway, type Peer } from './measure.ts'
import { startNginx } from './nginx.ts'
import { type Bench, type BenchOptions, progress } from './open-bench.ts'
import { startProgram } from './start-process.ts'
import { smallBytes, smallPath } from './upstream-responses.ts'

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

// If a peer returns anything other than the upstream's response, it cannot be compared.
const checkForwards = async ({ name, url }: Peer, headers: Headers) => {
  const response = await fetch(url + smallPath, { headers })
  const { byteLength } = await response.arrayBuffer()
  if (response.status !== 200 || byteLength !== smallBytes) {
    throw new Error(`${name} returned ${response.status} with ${byteLength} bytes`)
  }
  if (
    (name === currentGateway || name === baseline) &&
    response.headers.get('x-service-core-runtime') !== 'proxy'
  ) {
    throw new Error(
      `${smallPath} is not forwarded: choose the path of a route that is 'proxy' in the route table`,
    )
  }
}

interface ProxyOptions extends BenchOptions {
  readonly keepAliveS?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the upstream, which keeps idle connections for `keepAliveS`, or forever if that is 0. */
export const startUpstream = async ({ stopAtEnd }: Bench, keepAliveS: number) =>
  stopAtEnd(await startProgram('upstream.ts', { environment: { KEEP_ALIVE_S: String(keepAliveS) } }))

const startProxies = async (bench: Bench, options: ProxyOptions): Promise<Peer[]> => {
  const { profileFolder, peers, keepAliveS = 0, environment } = options
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const isChosen = (name: string) => peers?.includes(name) ?? true
  const upstream = await startUpstream(bench, keepAliveS)
  const gateway = { folder, databaseUrl, issuer, coreUrl: upstream.url, ...(environment && { environment }) }
  const crossfade = stopAtEnd(await startGatewayProcess({ ...gateway, profileFolder }))
  const contestants: Peer[] = [{ name: currentGateway, ...crossfade }]
  if (isChosen(baseline)) {
    const projectFolder = await checkOutBaseline(bench)
    contestants.push({
      name: baseline,
      ...stopAtEnd(await startGatewayProcess({ ...gateway, projectFolder })),
    })
  }
  for (const [name, { module, environment: own }] of Object.entries(modules)) {
    if (!isChosen(name)) continue
    const peer = await startProgram(module, {
      environment: { UPSTREAM: upstream.url, ...own, ...environment },
      cpu: measuredCpu,
      outputFile: join(folder, `${name.replaceAll(/\W+/g, '-')}.log`),
    })
    contestants.push({ name, ...stopAtEnd(peer) })
  }
  if (hasNginx && isChosen('nginx'))
    contestants.push({ name: 'nginx', ...stopAtEnd(await startNginx(folder, upstream.url)) })
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
  for (const contestant of contestants) await checkForwards(contestant, headers)
  return contestants
}
