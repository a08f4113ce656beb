import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { list } from '#contracts/libraries.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import type { TestResponse } from '#test/support/request-at.ts'
import { storeRouteState } from '#test/support/routing.ts'

const runtimeOf = ({ headers }: TestResponse) => headers.get('x-service-core-runtime')

describe('a gateway whose database connections for client requests are all in use', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: {
      ...handlers,
      'libraries.list': defineRoute(list, async () => {
        throw new TypeError('fault')
      }),
    },
    environment: { OPERATORS: testOperators, DATABASE_POOL_SIZE: '2' },
  })
  let release: () => void
  let requests: Promise<unknown>

  const countWaiting = async () => {
    const [row] = await gateway.database.sql`
      select count(*)::int as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and application_name = 'crossfade' and datname = current_database()`
    return row?.waiting
  }

  // Native serves almost all accounts: only one bucket of 10,000 is left out.
  beforeAll(async () => {
    const epoch = await storeRouteState(gateway.database, {
      scope: 'libraries.list',
      state: 'canary',
      weightBp: 9999,
    })
    const readMetrics = async () => (await gateway.requestAdmin('GET', '/metrics')).body
    await vi.waitFor(async () =>
      expect(await readMetrics()).toContain(`\ncrossfade_routing_epoch ${epoch}\n`),
    )
  })
  beforeEach(async () => {
    const account = await gateway.signUp()
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    release = held.resolve
    const holding = gateway.database.sql.begin(async (sql) => {
      await sql`lock table libraries in exclusive mode`
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const creating = Array.from({ length: 8 }, (_, name) =>
      account.post('/v1/libraries', { name: `${name}` }),
    )
    requests = Promise.all([holding, ...creating])
    await expect.poll(countWaiting, { interval: 20 }).toBe(2)
  })
  afterEach(async () => {
    release()
    await requests
  })

  it("still sets a failing route's weight to 0", async () => {
    const { sql } = gateway.database
    const { token } = await gateway.signUp()
    for (let sent = 0; sent < 6; sent += 1) await gateway.request('GET', '/v1/libraries', { token })
    await expect
      .poll(() => sql`select weight_bp from route_state where scope = 'libraries.list'`)
      .toEqual([{ weight_bp: 0 }])
    expect(await countWaiting()).toBe(2)
  })

  it('still lets an operator immediately kill the route that the waiting requests use', async () => {
    const changed = await gateway.requestAdmin('POST', '/api/routes/libraries.create/changes', {
      token: operatorTokens.alice,
      body: { change: { kind: 'kill' }, reason: 'a test' },
    })
    expect(changed).toMatchObject({ status: 200, body: { adoption: { missing: [] } } })
    expect(await countWaiting()).toBe(2)
    const { token } = await gateway.signUp()
    const response = await gateway.request('POST', '/v1/libraries', { token, body: { name: 'x' } })
    expect(runtimeOf(response)).toBe('proxy')
  })
})
