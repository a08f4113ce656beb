import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import * as z from 'zod'
import { type Address, listenOrThrow } from '#gateway/node/listen-error.ts'
import { defaultAddress } from '#gateway/settings/listeners.ts'

const listenOnce = (port: number, host: string) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })

/** Checks that a server can listen at an address, and returns its port. Throws `ListenError`. */
export const findPort = (address: Address) => listenOrThrow({ listen: listenOnce }, address)

const isFree = (port: number, host: string) =>
  listenOnce(port, host).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'EADDRINUSE',
  )

type Environment = Readonly<Record<string, string | undefined>>

const defaultHost = defaultAddress.host

const listeners = [
  { host: 'HOST', port: 'PORT', part: 'gateway', first: defaultAddress.listenPort, record: 'service' },
  { host: 'ADMIN_HOST', port: 'ADMIN_PORT', part: "gateway's admin listener", first: 0, record: 'gateway' },
  { host: 'ADMIN_HOST', port: 'JOBS_ADMIN_PORT', part: "jobs' admin listener", first: 0, record: 'jobs' },
] as const

/** Throws `ListenError` for the first user-set address that no server can listen on. */
export const requireFreePorts = async (given: Environment) => {
  for (const settings of listeners) {
    const port = Number(given[settings.port] || 0)
    // The port is not a number if the setting is `off`.
    if (port > 0) await findPort({ host: given[settings.host] || defaultHost, port, settings })
  }
  const { HOST: host = '' } = given
  if (host) await findPort({ host, port: 0, settings: listeners[0] })
}

const Ports = z.record(z.string(), z.int().min(0).max(65_535))

const readPorts = async (file: string) => {
  try {
    return Ports.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return {}
  }
}

/** Remembers the ports of a sandbox's parts, so that they stay the same after a restart unless they are in use. */
export const openPorts = async (stateDir: string) => {
  const file = join(stateDir, 'ports.json')
  const remembered = await readPorts(file)
  const current: Record<string, number> = {}
  const taken: Record<string, number> = {}
  return {
    /** Selects the port to start a part on. If the part's own port is in use, returns 0, which means any. */
    async select(part: string, { host = defaultHost as string, first = 0 } = {}) {
      const port = remembered[part] || first
      if (port === 0 || (await isFree(port, host))) return port
      taken[part] = port
      return 0
    },
    record(part: string, url: string) {
      current[part] = Number(new URL(url).port)
    },
    /** Stores what was recorded. Returns a sentence for each port that was in use. */
    async save(): Promise<readonly string[]> {
      await writeFile(file, `${JSON.stringify({ ...remembered, ...current }, null, 2)}\n`)
      return Object.entries(taken).map(
        ([part, port]) => `Port ${port} is in use. The ${part} is on port ${current[part]} instead.`,
      )
    },
  }
}

export type SandboxPorts = Awaited<ReturnType<typeof openPorts>>

export const selectListeners = async (given: Environment, ports: SandboxPorts) => {
  const selected = listeners.map(async ({ host, port, part, first }) => {
    const selectPort = () => ports.select(part, { host: given[host] || defaultHost, first })
    return [port, given[port] || String(await selectPort())] as const
  })
  return Object.fromEntries(await Promise.all(selected))
}

export const recordListeners = (
  given: Environment,
  ports: SandboxPorts,
  urls: Readonly<Partial<Record<(typeof listeners)[number]['record'], string | null>>>,
) => {
  for (const { port, part, record } of listeners) {
    const url = urls[record]
    if (!given[port] && url) ports.record(part, url)
  }
}
