import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'

const harness = startTestGateway()
const held: ServerResponse[] = []
const core = createServer((_, response) => void held.push(response))
beforeAll(() => new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  core.closeAllConnections()
  core.close()
})
let started: ChildProcess | undefined
afterEach(() => void started?.kill('SIGKILL'))

const start = async (changes: Readonly<Record<string, string>>) => {
  const child = fork(new URL(import.meta.resolve('#bin/server.ts')), {
    env: {
      PATH: process.env.PATH,
      ...harness.environment,
      PUBLIC_BASE_URL: 'https://api.example',
      CORE_BASE_URL: `http://127.0.0.1:${(core.address() as AddressInfo).port}`,
      LOG_LEVEL: 'silent',
      ...changes,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  started = child
  const [{ url }] = await once(child, 'message')
  return { url: String(url), child, exited: once(child, 'exit') }
}

/** Sends a request that the core holds, and waits until the core has received it. */
const sendHeldRequest = async (url: string) => {
  held.length = 0
  const response = fetch(`${url}/v1/tracks`).then(
    async (received) => ({ status: received.status, body: await received.text() }),
    () => 'connection closed' as const,
  )
  await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1)
  return { response }
}

describe('DRAIN_MS', () => {
  it('lets requests in flight finish, and still admits new requests at first', async () => {
    const { url, child, exited } = await start({ DRAIN_MS: '6000' })
    const { response } = await sendHeldRequest(url)
    child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 2500 }).toBe(503)
    expect((await fetch(`${url}/v1/libraries`)).status).toBe(401)
    await expect
      .poll(() => fetch(`${url}/readyz`).catch(() => 'refused'), { timeout: 10_000 })
      .toBe('refused')
    held[0]?.end('finished')
    expect(await response).toEqual({ status: 200, body: 'finished' })
    expect(await exited).toEqual([0, null])
  }, 30_000)

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'lets the process exit after %s by cutting off requests that take longer',
    async (signal) => {
      const { url, child, exited } = await start({ DRAIN_MS: '0' })
      const { response } = await sendHeldRequest(url)
      child.kill(signal)
      expect(await response).toBe('connection closed')
      expect(await exited).toEqual([0, null])
    },
    30_000,
  )
})

describe('NODE_ENV', () => {
  it.each(['production', 'development', 'test'])(
    'has no effect if it is %s',
    async (value) => {
      const { url, child, exited } = await start({ NODE_ENV: value, DRAIN_MS: '200' })
      const { response } = await sendHeldRequest(url)
      const { headers, status } = await fetch(`${url}/v1/libraries`)
      expect([status, [...headers.keys()].filter((name) => name !== 'date')]).toMatchInlineSnapshot(`
        [
          401,
          [
            "cache-control",
            "connection",
            "content-length",
            "content-type",
            "keep-alive",
            "www-authenticate",
            "x-request-id",
            "x-service-core-runtime",
            "x-service-native-route",
            "x-service-proxy-fallback",
          ],
        ]
      `)
      child.kill('SIGTERM')
      // The request would succeed if the process waited longer than DRAIN_MS.
      const timer = setTimeout(() => held[0]?.end(), 4000)
      expect(await response).toBe('connection closed')
      clearTimeout(timer)
      expect(await exited).toEqual([0, null])
    },
    30_000,
  )
})
