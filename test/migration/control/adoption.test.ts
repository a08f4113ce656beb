import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import type { DatabaseRelay } from '#test/support/database-relay.ts'
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

  it.each(['libraries.list', 'libraries.*', '*'])(
    'adopts both the start and the end of a kill of %s',
    async (scope) => {
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
    },
  )

  it('adopts a change even without a notification', async () => {
    await gateway.database.sql`
      insert into route_state (scope, killed, weight_bp, mode, version) values ('billing.*', true, 0, 'observe', 1)`
    await gateway.database.sql`update routing_epoch set epoch = epoch + 1`
    await expect.poll(() => readRuntime('/v1/billing/status')).toBe('proxy')
  })

  it("adopts an account's override", async () => {
    const [chosen, other] = await Promise.all([gateway.signUp(), gateway.signUp()])
    await storeOverride(gateway.database, { accountId: chosen.accountId, scope: 'libraries.*', side: 'core' })
    await expect.poll(async () => runtimeOf(await chosen.get('/v1/libraries'))).toBe('proxy')
    expect(runtimeOf(await other.get('/v1/libraries'))).toBe('native')
  })

  it('logs the epoch of each request, and why native or the core served it', async () => {
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

  it('reports the epoch it has adopted', async () => {
    const epoch = await storeRouteState(gateway.database, { scope: 'packs.*' })
    await expect.poll(listInstances).toEqual([{ epoch }])
  })

  it('keeps the previous state of a scope whose row it cannot read, and adopts the other scopes', async () => {
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

  it('treats a scope as killed if it cannot read the first row stored for that scope', async () => {
    const { sql } = gateway.database
    expect(await readRuntime('/v1/tracks/x/lyrics')).toBe('native')
    await sql`
      insert into route_state (scope, state, weight_bp, mode, version) values ('tracks.lyrics.detail', 'native', 7, 'observe', 1)`
    await storeRouteState(gateway.database, { scope: 'packs.*', held: true })
    await expect.poll(() => readRuntime('/v1/tracks/x/lyrics')).toBe('proxy')
    await sql`delete from route_state where scope = 'tracks.lyrics.detail'`
  })

  it("treats a scope as killed if it cannot read the scope's row at startup", async () => {
    const { sql } = gateway.database
    await sql`
      insert into route_state (scope, state, weight_bp, mode, version) values ('libraries.list', 'native', 7, 'observe', 1)`
    const log = createRecordingLog()
    const started = await startGateway({ settings: gateway.settings, log })
    const { token, get } = await gateway.signUp()
    expect(runtimeOf(await requestAt(started.url, 'GET', '/v1/libraries', { token }))).toBe('proxy')
    expect(log.lines.filter(({ message }) => message === 'routing row rejected')).toContainEqual(
      expect.objectContaining({ fields: { table: 'route_state', scope: 'libraries.list' } }),
    )
    expect(runtimeOf(await get('/v1/libraries'))).toBe('native')
    await started.close()
    await sql`delete from route_state where scope = 'libraries.list'`
  })

  it('reads the state before it opens its port, and removes its record when it stops', async () => {
    const log = createRecordingLog()
    const started = await startGateway({ settings: gateway.settings, log })
    const { token } = await gateway.signUp()
    expect(runtimeOf(await requestAt(started.url, 'GET', '/v1/billing/status', { token }))).toBe('proxy')
    expect(await listInstances()).toHaveLength(2)
    await started.close()
    expect(await listInstances()).toHaveLength(1)
  })
})

const throughRelay = { core: 'recording', throughRelay: true, routingThroughRelay: true } as const
const routingTiming = { startTimeoutMs: 100 }

describe.each([
  ['rejects connections', (relay: DatabaseRelay) => relay.setUnavailable(true)],
  ['does not respond', (relay: DatabaseRelay) => Object.assign(relay, { onStatement: () => 'stall' })],
])('an instance that starts while the database %s', (_, makeUnavailable) => {
  const gateway = startTestGateway(throughRelay)
  const log = createRecordingLog()
  let started: RunningGateway
  beforeAll(async () => {
    await storeRouteState(gateway.database, { scope: 'libraries.*', killed: true })
    await storeRouteState(gateway.database, { scope: 'billing.status', state: 'retired', weightBp: 10_000 })
    makeUnavailable(gateway.relay)
    started = await startGateway({ settings: gateway.settings, log, routingTiming })
  })
  afterAll(() => started.close())

  const readRuntime = async (path: string, token?: string) =>
    runtimeOf(await requestAt(started.url, 'GET', path, token === undefined ? {} : { token }))

  it('forwards every route that the core can serve, even retired ones, and says so in the log', async () => {
    for (const path of ['/v1/libraries', '/v1/billing/status'])
      expect([path, await readRuntime(path)]).toEqual([path, 'proxy'])
    expect(await readRuntime('/v1/analytics/overview')).toBe('native')
    const requests = log.lines.filter(({ message }) => message === 'request')
    expect(requests.map(({ fields }) => fields.reason)).toEqual(['stale', 'stale', 'static'])
    expect(await requestAt(started.adminUrl ?? '', 'GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'down', routing: 'unknown' },
    })
    const unavailable = log.lines.filter(({ message }) => message === 'routing state unavailable at start')
    expect(unavailable.map(({ fields }) => fields)).toEqual([
      { twoSidedRoutes: 'core', retiredRoutes: 'core' },
    ])
  })

  it('follows the stored state once the database is back, and never serves a killed route natively', async () => {
    const { token } = await gateway.signUp()
    gateway.relay.setUnavailable(false)
    gateway.relay.onStatement = () => null
    const sides = new Set<string | null>()
    const readRuntimes = async () => {
      sides.add(await readRuntime('/v1/libraries', token))
      return readRuntime('/v1/billing/status', token)
    }
    await expect.poll(readRuntimes, { timeout: 10_000 }).toBe('native')
    sides.add(await readRuntime('/v1/libraries', token))
    expect(sides).toEqual(new Set(['proxy']))
    expect(log.lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['routing state adopted', 'routing state refreshed']),
    )
    const readRouting = async () => (await requestAt(started.adminUrl ?? '', 'GET', '/readyz')).body.routing
    await expect.poll(readRouting, { timeout: 5000 }).toBe('current')
  })
})

describe('GATEWAY_KILL', () => {
  const gateway = startTestGateway({ ...throughRelay, environment: { GATEWAY_KILL: 'libraries.*' } })

  it('applies while the database is down, even to an instance that starts during the outage', async () => {
    const log = createRecordingLog()
    gateway.relay.setUnavailable(true)
    const started = await startGateway({ settings: gateway.settings, log, routingTiming })
    try {
      for (const url of [gateway.url, started.url])
        expect(runtimeOf(await requestAt(url, 'GET', '/v1/libraries'))).toBe('proxy')
      const [line] = log.lines.filter(({ message }) => message === 'request')
      expect(line?.fields).toMatchObject({ reason: 'disabled' })
    } finally {
      gateway.relay.setUnavailable(false)
      await started.close()
    }
  })
})
