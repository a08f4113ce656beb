import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient } from '#test/support/raw-client.ts'
import { storeRouteState } from '#test/support/routing.ts'

const harness = startTestGateway({ core: 'recording' })
let started: ChildProcess | undefined
afterEach(async () => {
  started?.kill('SIGKILL')
  started?.kill('SIGCONT')
})

const start = async () => {
  const child = fork(new URL(import.meta.resolve('#bin/server.ts')), {
    env: {
      PATH: process.env.PATH,
      ...harness.environment,
      PUBLIC_BASE_URL: 'https://api.example',
      LOG_LEVEL: 'silent',
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
