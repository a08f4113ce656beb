import { describe, expect, it } from 'vitest'
import { startGateway } from '#gateway/node/start-gateway.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt, type TestResponse } from '#test/support/request-at.ts'
import { storeOverride, storeRouteState } from '#test/support/routing.ts'

const runtimeOf = ({ headers }: TestResponse) => headers.get('x-service-core-runtime')

describe('an instance', () => {
  const gateway = startTestGateway({ core: 'recording' })

  const readRuntime = async (path: string) => {
    const { get } = await gateway.signUp({ plan: 'free' })
    return runtimeOf(await get(path))
  }
  const listInstances = () => gateway.database.sql`select epoch from gateway_instance`

  it.each(['libraries.list', 'libraries.*', '*'])('adopts a kill of %s and its end', async (scope) => {
    expect(await readRuntime('/v1/libraries')).toBe('native')
    await storeRouteState(gateway.database, {
      scope,
      killed: true,
      state: scope === 'libraries.list' ? 'proxy' : null,
    })
    await expect.poll(() => readRuntime('/v1/libraries')).toBe('proxy')
    expect(await readRuntime('/v1/billing/status')).toBe(scope === '*' ? 'proxy' : 'native')
    await gateway.database.sql`delete from route_state`
    await storeRouteState(gateway.database, { scope: 'tracks.*' })
    await expect.poll(() => readRuntime('/v1/libraries')).toBe('native')
  })

  it('adopts a change without a notification', async () => {
    await gateway.database.sql`
      insert into route_state (scope, killed, weight_bp, mode, version) values ('billing.*', true, 0, 'observe', 1)`
    await gateway.database.sql`update routing_epoch set epoch = epoch + 1`
    await expect.poll(() => readRuntime('/v1/billing/status')).toBe('proxy')
  })

  it('adopts an override of one account', async () => {
    const [chosen, other] = await Promise.all([gateway.signUp(), gateway.signUp()])
    await storeOverride(gateway.database, { accountId: chosen.accountId, scope: 'libraries.*', side: 'core' })
    await expect.poll(async () => runtimeOf(await chosen.get('/v1/libraries'))).toBe('proxy')
    expect(runtimeOf(await other.get('/v1/libraries'))).toBe('native')
  })

  it('logs the epoch and the reason of a request', async () => {
    const epoch = await storeRouteState(gateway.database, {
      scope: 'libraries.shared-with-me',
      killed: true,
      state: 'proxy',
    })
    await expect.poll(() => readRuntime('/v1/libraries/shared-with-me')).toBe('proxy')
    const lines = () => gateway.log.lines.filter(({ message }) => message === 'request')
    await expect
      .poll(() => lines().at(-1)?.fields)
      .toMatchObject({ route: 'libraries.shared-with-me', epoch, reason: 'disabled' })
    const { body } = await gateway.requestAdmin('GET', '/metrics')
    expect(body).toContain(`\ncrossfade_routing_epoch ${epoch}\n`)
    expect(body).toContain('\ncrossfade_routing_stale 0\n')
  })

  it('reports the epoch that it has adopted', async () => {
    const epoch = await storeRouteState(gateway.database, { scope: 'packs.*' })
    await expect.poll(listInstances).toEqual([{ epoch }])
  })

  it('keeps the previous state of a row that it cannot read, and adopts the others', async () => {
    await storeRouteState(gateway.database, { scope: 'tracks.tags.detail', state: 'proxy' })
    await expect.poll(() => readRuntime('/v1/tracks/x/tags')).toBe('proxy')
    await gateway.database.sql`alter table route_state drop constraint route_state_weight_of_state`
    await gateway.database.sql`
      update route_state set state = 'native', weight_bp = 7 where scope = 'tracks.tags.detail'`
    await storeRouteState(gateway.database, { scope: 'tracks.peaks.detail', state: 'proxy' })
    await expect.poll(() => readRuntime('/v1/tracks/x/peaks')).toBe('proxy')
    expect(await readRuntime('/v1/tracks/x/tags')).toBe('proxy')
    expect(gateway.log.lines).toContainEqual({
      level: 'error',
      message: 'routing row rejected',
      fields: { table: 'route_state', scope: 'tracks.tags.detail' },
    })
  })

  it('reads the state before its port is opened, and is removed when it stops', async () => {
    const log = createRecordingLog()
    const started = await startGateway({ settings: gateway.settings, log })
    const { token } = await gateway.signUp()
    expect(runtimeOf(await requestAt(started.url, 'GET', '/v1/billing/status', { token }))).toBe('proxy')
    expect(await listInstances()).toHaveLength(2)
    await started.close()
    expect(await listInstances()).toHaveLength(1)
  })
})

describe('GATEWAY_KILL', () => {
  const gateway = startTestGateway({
    core: 'recording',
    throughRelay: true,
    routingThroughRelay: true,
    environment: { GATEWAY_KILL: 'libraries.*' },
  })

  it('holds while the database is unavailable, also for an instance that starts then', async () => {
    gateway.relay.setUnavailable(true)
    const started = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    try {
      for (const url of [gateway.url, started.url])
        expect(runtimeOf(await requestAt(url, 'GET', '/v1/libraries'))).toBe('proxy')
    } finally {
      gateway.relay.setUnavailable(false)
      await started.close()
    }
  })
})
