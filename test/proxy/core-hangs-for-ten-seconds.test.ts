import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'
import { createHangingReplies, startTraffic } from './hanging-core.ts'

it('the gateway serves clients within two seconds after a ten-second hang of the core, and frees every slot', async () => {
  const { reply, setHanging } = createHangingReplies()
  const { core, gateway, port } = await startCoreAndGateway(reply)
  const traffic = startTraffic(port, 20)
  await sleep(1000)
  setHanging(true)
  const hungAt = performance.now()
  await sleep(10_000)
  setHanging(false)
  const recoveredAt = performance.now()
  await sleep(4000)
  await traffic.stop()
  const { served } = traffic
  const duringHang = served.filter(({ sentAt }) => sentAt > hungAt && sentAt < recoveredAt)
  const failedLast = Math.max(...served.filter(({ status }) => status !== 200).map(({ endedAt }) => endedAt))
  expect(failedLast - recoveredAt).toBeLessThan(2000)
  // Requests from the first seconds wait until the hang is detected; later ones are refused immediately.
  expect(new Set(duringHang.map(({ status }) => status))).toEqual(new Set([503, 504]))
  expect(Math.max(...duringHang.map(({ sentAt, endedAt }) => endedAt - sentAt))).toBeLessThan(6000)
  // No request was sent twice.
  const targets = core.requests.map(({ target }) => target).filter((target) => target !== '/')
  expect(new Set(targets).size).toBe(targets.length)
  await until(() => gateway.transport.readings().lanes.requests.used === 0)
}, 60_000)

it('the gateway returns no error to 200 concurrent clients when the core becomes three seconds slower', async () => {
  let delayMs = 0
  const { gateway, port } = await startCoreAndGateway(
    (socket, request) => {
      setTimeout(() => replyOk(socket, request), delayMs)
    },
    { routeOf: (path) => path.split('/')[2] ?? '' },
  )
  const statuses = new Map<number, number>()
  let isStopped = false
  const run = async (client: number) => {
    while (!isStopped) {
      const { status } = await sendRaw(port, get(`/v1/route-${client % 10}`), 'GET', `127.0.0.${2 + client}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const running = Promise.all(Array.from({ length: 200 }, (_, client) => run(client)))
  await sleep(2000)
  delayMs = 3000
  await sleep(13_000)
  isStopped = true
  await running
  expect([...statuses.keys()]).toEqual([200])
  expect(gateway.transport.breakerState()).toBe('closed')
}, 60_000)
