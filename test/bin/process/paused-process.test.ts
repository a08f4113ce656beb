import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient } from '#test/support/raw-client.ts'
import { replyOk } from '#test/support/raw-core.ts'
import { storeRouteState } from '#test/support/routing.ts'

const harness = startTestGateway({ core: 'recording' })
let started: ChildProcess | undefined
afterEach(async () => {
  started?.kill('SIGKILL')
  started?.kill('SIGCONT')
})

const start = async (environment: Readonly<Record<string, string>> = {}) => {
  const child = fork(new URL(import.meta.resolve('#bin/server.ts')), {
    env: {
      PATH: process.env.PATH,
      ...harness.environment,
      PUBLIC_BASE_URL: 'https://api.example',
      LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  started = child
  const [{ url }] = await once(child, 'message')
  return { child, port: Number(new URL(String(url)).port) }
}

it('a process does not natively serve a route that was killed while the process was paused', async () => {
  const { child, port } = await start()
  const { token } = await harness.signUp()
  const request = get('/v1/libraries', `Authorization: Bearer ${token}`)
  const clients = await Promise.all(Array.from({ length: 30 }, () => openRawClient(port)))
  const receiveRuntimes = async () => {
    const responses = await Promise.all(clients.map((client) => client.receiveResponse()))
    return new Set(responses.map((response) => response.header('x-service-core-runtime')))
  }
  const send = () => {
    for (const client of clients) client.send(request)
  }
  send()
  expect(await receiveRuntimes()).toEqual(new Set(['native']))

  child.kill('SIGSTOP')
  await sleep(6500)
  await storeRouteState(harness.database, { scope: 'libraries.list', state: 'proxy', killed: true })
  // When the process continues, it first reads what arrived during the pause.
  send()
  await sleep(200)
  const continuedAt = performance.now()
  child.kill('SIGCONT')
  const runtimes = [await receiveRuntimes()]
  const firstAfterMs = performance.now() - continuedAt
  while (performance.now() - continuedAt < 2000) {
    send()
    runtimes.push(await receiveRuntimes())
  }
  expect(runtimes).toEqual(runtimes.map(() => new Set(['proxy'])))
  expect(firstAfterMs).toBeLessThan(5000)
  for (const { socket } of clients) socket.destroy()
}, 60_000)

it('requests in progress get their responses once a paused process continues', async () => {
  const { child, port } = await start({ CORE_TIMEOUT_MS: '3000' })
  const { token } = await harness.signUp()
  const { sql } = harness.database
  const [forwarded, native] = await Promise.all([openRawClient(port), openRawClient(port)])
  const request = get('/v1/libraries/shared-with-me', `Authorization: Bearer ${token}`)
  // Prepares the statement, which takes a round trip of its own.
  native.send(request)
  await native.receiveResponse()
  const received = Promise.withResolvers<() => void>()
  harness.core.nextReplies.push((socket, request) => received.resolve(() => replyOk(socket, request)))
  forwarded.send(get('/v1/none'))
  const respond = await received.promise
  const lock = await sql.reserve()
  await lock`begin`
  await lock`lock table libraries in access exclusive mode`
  native.send(request)
  const listWaiting = () => sql`select from pg_locks where relation = 'libraries'::regclass and not granted`
  await expect.poll(listWaiting, { timeout: 10_000 }).toHaveLength(1)

  child.kill('SIGSTOP')
  respond()
  await lock`commit`
  lock.release()
  // Longer than every timeout of these two requests.
  await sleep(12_000)
  child.kill('SIGCONT')
  const responses = await Promise.all([forwarded, native].map((client) => client.receiveResponse()))
  expect(responses.map(({ status, header }) => [status, header('x-service-core-runtime')])).toEqual([
    [200, 'proxy'],
    [200, 'native'],
  ])
  for (const { socket } of [forwarded, native]) socket.destroy()
}, 60_000)
