import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { withoutClockShift } from './shifted-clock.ts'

export interface RedisServer {
  readonly url: string
  readonly child: ChildProcess
  stop(): Promise<void>
}

export const isRedisInstalled = () =>
  promisify(execFile)('redis-server', ['--version'], { env: withoutClockShift() }).then(
    () => true,
    () => false,
  )

const findFreePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

const start = async (port: number, password: string, dir: string) => {
  const options = ['--port', port, '--bind', '127.0.0.1', '--dir', dir, '--requirepass', password]
  const child = spawn('redis-server', [...options, '--save', '', '--appendonly', 'no'].map(String), {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: withoutClockShift(),
  })
  const ready = Promise.withResolvers<boolean>()
  createInterface(child.stdout).on('line', (line) => {
    if (line.includes('Ready to accept connections')) ready.resolve(true)
  })
  child.once('exit', () => ready.resolve(false))
  return (await ready.promise) ? child : null
}

/**
 * Starts a Redis server that stores nothing, on a free port, or at the address of a previous server that has stopped.
 */
export const startRedisServer = async (previous?: RedisServer): Promise<RedisServer> => {
  const known = previous && new URL(previous.url)
  const password = known?.password ?? crypto.randomUUID()
  const dir = await mkdtemp(join(tmpdir(), 'crossfade-redis-'))
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = known ? Number(known.port) : await findFreePort()
    // If another process has taken the port, the server exits.
    const child = await start(port, password, dir)
    if (!child) continue
    return {
      url: `redis://:${password}@127.0.0.1:${port}/0`,
      child,
      async stop() {
        const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
        child.kill('SIGKILL')
        await exited
        await rm(dir, { recursive: true, force: true })
      },
    }
  }
  await rm(dir, { recursive: true, force: true })
  throw new Error('failed to start redis-server')
}
