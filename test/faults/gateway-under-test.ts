import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import type { TestGateway } from '#test/support/gateway.ts'
import type { Probes } from './observe-fault.ts'

const libraryName = 'Written again and again'

const createProbes = async (url: string, token: string): Promise<Probes> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: libraryName })
  const response = await fetch(`${url}/v1/libraries`, { method: 'POST', headers, body })
  if (response.status !== 201) throw new Error(`POST /v1/libraries returned ${response.status}`)
  const { id } = await response.json()
  return {
    forwarded: { path: '/v1/tracks', headers },
    nativeRead: { path: '/v1/libraries', headers },
    nativeWrite: { method: 'PATCH', path: `/v1/libraries/${id}`, headers, body },
    nativeOnly: { path: '/v1/catalog-analysis/threads', headers },
  }
}

export interface GatewayUnderTest {
  readonly url: string
  readonly child: ChildProcess
}

interface Options {
  readonly environment: () => Readonly<Record<string, string>>
  readonly instances?: number
  /** A shell script that starts the gateway by running `"$0" "$@"`, which is Node's command line. */
  readonly shell?: string
}

const start = async (
  environment: Readonly<Record<string, string>>,
  shell?: string,
): Promise<GatewayUnderTest> => {
  const child = fork(new URL(import.meta.resolve('#bin/server.ts')), {
    env: {
      PATH: process.env.PATH,
      PUBLIC_BASE_URL: 'https://api.example',
      LOG_LEVEL: 'silent',
      ...environment,
    },
    ...(shell === undefined ? {} : { execPath: 'sh', execArgv: ['-c', shell, process.execPath] }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = await once(child, 'message')
  return { url: String(url), child }
}

/** Makes V8 compile the code that the probes run, and lets the gateway open its connections. */
const warmUp = async (url: string, probes: Probes) => {
  for (let round = 0; round < 20; round++) {
    const sent = Object.values(probes).map(({ path, ...init }) => fetch(url + path, init))
    for (const response of await Promise.all(sent)) await response.arrayBuffer()
    await sleep(20)
  }
}

/**
 * Starts gateway processes for the tests of one `describe` block, with the services that the harness provides. Returns
 * the processes, and a function that returns the requests to send to them.
 */
export const startGatewaysUnderTest = (
  harness: TestGateway,
  { environment, instances = 1, shell }: Options,
) => {
  const gateways: GatewayUnderTest[] = []
  let probes: Probes | undefined
  beforeAll(async () => {
    const settings = { ...harness.environment, ...environment() }
    for (let index = 0; index < instances; index++) gateways.push(await start(settings, shell))
    const token = await harness.issuer.mintToken(`acct_${crypto.randomUUID()}`)
    for (const { url } of gateways) {
      probes ??= await createProbes(url, token)
      await warmUp(url, probes)
    }
  })
  afterAll(() => {
    for (const { child } of gateways) child.kill('SIGKILL')
  })
  return {
    gateways,
    probes: () => {
      if (!probes) throw new Error('the gateways are not started yet')
      return probes
    },
  }
}
