import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import type { TestResponse } from '#test/support/request-at.ts'
import { storeRouteState } from '#test/support/routing.ts'
import { startTestWorker } from '#test/support/worker.ts'

const runtimeOf = ({ headers }: TestResponse) => headers.get('x-service-core-runtime')

const gateway = startTestGateway({
  core: 'recording',
  environment: { GATEWAY_ROUTES: 'libraries.list=canary:5000' },
})
const worker = startTestWorker(gateway)

it('a Worker selects the same side for an account as Node does', async () => {
  const sides = new Set<string | null>()
  for (let round = 0; round < 16; round += 1) {
    const { token } = await gateway.signUp({ plan: 'free' })
    const onNode = runtimeOf(await gateway.request('GET', '/v1/libraries', { token }))
    expect(runtimeOf(await worker.request('GET', '/v1/libraries', { token }))).toBe(onNode)
    sides.add(onNode)
  }
  expect(sides).toEqual(new Set(['native', 'proxy']))
})

it('a Worker adopts a stored kill within seconds', async () => {
  const { token } = await gateway.signUp({ plan: 'free' })
  const read = async () => runtimeOf(await worker.request('GET', '/v1/billing/status', { token }))
  expect(await read()).toBe('native')
  await storeRouteState(gateway.database, { scope: '*', killed: true })
  await expect.poll(read, { timeout: 15_000, interval: 200 }).toBe('proxy')
})

describe('an isolate that starts while the database is unavailable', () => {
  const relayed = startTestGateway({ core: 'recording', throughRelay: true })
  const isolate = startTestWorker(relayed)
  const read = async (path: string, token: string) => runtimeOf(await isolate.request('GET', path, { token }))

  it('never natively serves a route that a stored state kills', async () => {
    await storeRouteState(relayed.database, { scope: 'libraries.*', killed: true })
    const { token } = await relayed.signUp({ plan: 'free' })
    relayed.relay.setUnavailable(true)
    for (const path of ['/v1/libraries', '/v1/billing/status']) {
      const { headers } = await isolate.request('GET', path, { token })
      // This is not a fallback, because native is not tried.
      expect([path, headers.get('x-service-proxy-fallback')]).toEqual([path, '0'])
    }
    relayed.relay.setUnavailable(false)
    const sides = new Set<string | null>()
    const readBoth = async () => {
      sides.add(await read('/v1/libraries', token))
      return read('/v1/billing/status', token)
    }
    await expect.poll(readBoth, { timeout: 15_000, interval: 200 }).toBe('native')
    sides.add(await read('/v1/libraries', token))
    expect(sides).toEqual(new Set(['proxy']))
  })
})
