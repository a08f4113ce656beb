import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { baseline, checkOutBaseline } from './baseline.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { hasNginx, measuredCpu } from './machine.ts'
import { currentGateway, type Peer } from './measure-interleaved.ts'
import { startNginx } from './nginx.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { startProcess } from './start-process.ts'

const here = import.meta.dirname
const peersFolder = join(here, 'peers')

/** The peers that are Node modules, by name. */
const modules = {
  'bare node:http + undici': 'bare-forwarder.ts',
  '@fastify/http-proxy': 'peers/fastify-http-proxy.mjs',
  'fast-gateway': 'peers/fast-gateway.mjs',
  'http-proxy-middleware': 'peers/http-proxy-middleware.mjs',
} as const

/** Installs the peers, which only the benchmark needs, unless they are installed. */
export const installPeers = () => {
  if (existsSync(join(peersFolder, 'node_modules'))) return
  process.stderr.write('installing the peers\n')
  execFileSync('npm', ['ci', '--prefix', peersFolder], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Starts every proxy for one upstream, the gateway first. */
export const startProxies = async (bench: Bench, { profileFolder }: BenchOptions): Promise<Peer[]> => {
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const upstream = stopAtEnd(
    await startProcess({ command: process.execPath, arguments: [join(here, 'upstream.ts')] }),
  )
  const options = { folder, databaseUrl, issuer, coreUrl: upstream.url }
  const crossfade = stopAtEnd(await startGatewayProcess({ ...options, profileFolder }))
  const earlier = stopAtEnd(
    await startGatewayProcess({ ...options, projectFolder: await checkOutBaseline(bench) }),
  )
  const contestants: Peer[] = [
    { name: currentGateway, ...crossfade },
    { name: baseline, ...earlier },
  ]
  for (const [name, module] of Object.entries(modules)) {
    const peer = await startProcess({
      command: process.execPath,
      arguments: [join(here, module)],
      environment: { UPSTREAM: upstream.url },
      cpu: measuredCpu,
    })
    contestants.push({ name, ...stopAtEnd(peer) })
  }
  if (hasNginx) contestants.push({ name: 'nginx', ...stopAtEnd(await startNginx(folder, upstream.url)) })
  return contestants
}
