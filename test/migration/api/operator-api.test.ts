import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators, operatorTokens as tokens } from '#test/support/operators.ts'

describe('the operator API', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })

  const send = (method: string, path: string, body?: unknown, token: string = tokens.alice) =>
    gateway.requestAdmin(method, path, { token, ...(body === undefined ? {} : { body }) })
  const change = (scope: string, kind: object, more: object = {}) =>
    send('POST', `/api/routes/${encodeURIComponent(scope)}/changes`, {
      change: kind,
      reason: 'a test',
      ...more,
    })
  const read = async (scope: string, query = '') => (await send('GET', `/api/routes/${scope}${query}`)).body
  const readEverything = async () => {
    const { sql } = gateway.database
    return [
      await sql`select * from route_state order by scope`,
      await sql`select * from account_override order by 1, 2`,
      await sql`select * from route_audit order by epoch`,
      await sql`select epoch from routing_epoch`,
    ].map((rows) => [...rows])
  }

  it('responds with 401 to every path and method below /api without an operator token', async () => {
    const paths = [
      '/api',
      '/api/',
      '/api/routes',
      '/api/routes/',
      '/api/%72outes',
      '/api/unknown',
      '/api/audit/x',
    ]
    for (const path of paths)
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
        for (const authorization of [
          undefined,
          'Bearer wrong',
          `Basic ${tokens.alice}`,
          `Bearer ${tokens.alice}x`,
        ]) {
          const headers: Record<string, string> = authorization ? { authorization } : {}
          const { status, body } = await gateway.requestAdmin(method, path, { headers })
          expect([path, method, status, body.error]).toEqual([path, method, 401, 'operator_token_required'])
        }
    expect((await gateway.requestAdmin('GET', '/api/routes')).headers.get('www-authenticate')).toBe('Bearer')
    for (const path of ['/api', '/api/', '/api/routes'])
      expect((await gateway.request('GET', path, { token: tokens.alice })).status).toBe(404)
  })

  it('responds with 404 for unknown paths and 405 for other methods if the token is valid', async () => {
    expect((await send('GET', '/api/unknown')).status).toBe(404)
    const { status, headers } = await send('PATCH', '/api/routes/tracks.list')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('lets a reader read but change nothing, and a contract runner do neither', async () => {
    const before = await readEverything()
    const reader = await send('GET', '/api/routes', undefined, tokens.rob)
    expect(reader.status).toBe(200)
    const body = { change: { kind: 'kill' }, reason: 'a test' }
    for (const token of [tokens.rob, tokens.ci]) {
      const rejected = await send('POST', '/api/routes/libraries.list/changes', body, token)
      expect([rejected.status, rejected.body.error]).toEqual([403, 'operator_role_insufficient'])
    }
    expect((await send('GET', '/api/audit', undefined, tokens.ci)).body.message).toBe(
      'ci has the role contract; this needs read or write.',
    )
    expect(await readEverything()).toEqual(before)
  })

  it('changes a route, and records who changed what and why in the same epoch', async () => {
    const first = await change('libraries.list', { kind: 'kill' }, { reason: 'wrong order' })
    expect(first).toMatchObject({
      status: 200,
      body: { state: { scope: 'libraries.list', killed: true, version: 1 }, adoption: { missing: [] } },
    })
    const { epoch } = first.body
    const [entry] = (await send('GET', '/api/audit?scope=libraries.list')).body.entries
    expect(entry).toMatchObject({
      who: 'alice',
      scope: 'libraries.list',
      action: 'kill',
      reason: 'wrong order',
      epoch,
      before: { killed: false, version: 0 },
      after: { killed: true, version: 1 },
    })
    const resumed = await change('libraries.list', { kind: 'resume' }, { version: 1 })
    expect(resumed.body).toMatchObject({ epoch: epoch + 1, state: { stage: 'native', weightBp: 10_000 } })
    expect(gateway.log.lines).toContainEqual(
      expect.objectContaining({
        message: 'route state changed',
        fields: expect.objectContaining({ operator: 'alice', epoch }),
      }),
    )
  })

  it('accepts areas and all routes as scopes', async () => {
    for (const scope of ['billing.*', '*']) {
      expect((await change(scope, { kind: 'kill' })).body.state).toMatchObject({ scope, killed: true })
      const { routes } = (await send('GET', '/api/routes')).body
      const status = routes.find(({ label }: { label: string }) => label === 'billing.status')
      expect(status.killedBy).toBe(scope)
      expect((await change(scope, { kind: 'resume' })).status).toBe(200)
    }
  })

  it('changes nothing for bad input, and says what input would work', async () => {
    await change('libraries.create', { kind: 'hold' })
    const before = await readEverything()
    const post = (path: string, body: unknown) => send('POST', `/api/routes/${path}/changes`, body)
    const kill = { kind: 'kill' }

    const unknown = await post('libraries.lst', { change: kill, reason: 'a test' })
    expect(unknown).toMatchObject({ status: 404, body: { error: 'route_scope_unknown' } })
    expect(unknown.body.nearest[0]).toBe('libraries.list')
    expect(unknown.body.message).toContain('Closest: libraries.list')

    const withoutReason = await post('libraries.list', { change: kill, reason: '  ' })
    expect(withoutReason).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'reason', message: 'reason must not be empty.' }] },
    })
    expect((await post('libraries.list', { change: kill })).body.issues).toEqual([
      { path: 'reason', message: 'reason is required.' },
    ])
    expect((await post('libraries.list', '{"change":')).body.error).toBe('invalid_json')
    for (const invalid of [
      { kind: 'rollback' },
      { kind: 'ramp' },
      { kind: 'ramp', weightBp: 10_001 },
      { kind: 'mode', mode: 'x' },
      { kind: 'kill', weightBp: 1 },
    ])
      expect((await post('libraries.list', { change: invalid, reason: 'a test' })).status).toBe(400)

    const stale = await post('libraries.create', { change: kill, reason: 'a test', version: 0 })
    expect(stale).toMatchObject({ status: 409, body: { error: 'route_version_stale', version: 1 } })
    const illegal = await post('libraries.list', {
      change: { kind: 'ramp', weightBp: 10_000 },
      reason: 'a test',
    })
    expect(illegal).toMatchObject({
      status: 409,
      body: { error: 'route_change_illegal', message: 'libraries.list is already in state native.' },
    })
    expect(await readEverything()).toEqual(before)
  })

  it('applies only one of several changes that were based on the same version', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => change('libraries.update', { kind: 'hold' }, { version: 0 })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect((await read('libraries.update')).state.version).toBe(1)
  })

  it('stores, lists and removes an override for one account', async () => {
    const override = { accountId: 'acct_1', scope: 'libraries.list', side: 'core', reason: 'support case' }
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const stored = await send('PUT', '/api/overrides', { ...override, until })
    expect(stored).toMatchObject({ status: 200, body: { override: { ...override, until, who: 'alice' } } })
    expect((await send('GET', '/api/overrides?account=acct_1')).body.overrides).toHaveLength(1)
    expect((await send('GET', '/api/overrides?account=acct_2')).body.overrides).toEqual([])
    expect((await read('libraries.list', '?account=acct_1')).explanation).toMatchObject({ side: 'core' })
    expect((await read('libraries.list', '?account=acct_2')).explanation).toMatchObject({ side: 'native' })

    const past = await send('PUT', '/api/overrides', { ...override, until: '2020-01-01T00:00:00Z' })
    expect(past.body.issues).toEqual([{ path: 'until', message: 'until must be in the future.' }])
    expect((await send('PUT', '/api/overrides', { ...override, scope: 'libraries.lits' })).status).toBe(404)
    expect((await send('PUT', '/api/overrides', { ...override, scope: 'webhooks.billing' })).status).toBe(409)

    const { side: _, ...removal } = override
    expect((await send('DELETE', '/api/overrides', removal)).status).toBe(200)
    expect(await send('DELETE', '/api/overrides', removal)).toMatchObject({
      status: 404,
      body: { error: 'account_override_not_found' },
    })
    const actions = (await send('GET', '/api/audit?limit=2')).body.entries
    expect(actions).toMatchObject([
      { action: 'remove override', after: null },
      { action: 'override', before: null },
    ])
  })

  it("stores no override that has ended by the database's clock, even if this machine's clock is slow", async () => {
    const until = new Date(Date.now() - 60_000).toISOString()
    const { now } = Date
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000)
    onTestFinished(() => clock.mockRestore())
    const override = { accountId: 'acct_1', scope: 'libraries.list', side: 'core', until, reason: 'support' }
    const { status, body } = await send('PUT', '/api/overrides', override)
    expect({ status, issues: body.issues }).toEqual({
      status: 400,
      issues: [{ path: 'until', message: 'until must be in the future.' }],
    })
  })

  it('waits until all live instances have adopted a change, and names those that have not', async () => {
    const { db, sql } = gateway.database
    const beat = (id: string, epoch: number) => upsertInstance(db, { id, build: 'b', keys: {}, epoch })
    const nextEpoch = async () => (await send('GET', '/api/routes')).body.epoch + 1
    const epoch = await nextEpoch()
    await Promise.all([beat('one', epoch), beat('two', epoch - 1), beat('gone', 0)])
    await sql`update gateway_instance set beat_at = now() - interval '20 seconds' where id = 'gone'`
    const changing = change('libraries.detail', { kind: 'hold' })
    await expect.poll(async () => (await send('GET', '/api/instances')).body.epoch).toBe(epoch)
    await beat('two', epoch)
    expect((await changing).body.adoption).toMatchObject({ adopted: expect.any(Number), missing: [] })

    const late = await change('libraries.detail', { kind: 'release' })
    expect(late.body.adoption.missing).toEqual(expect.arrayContaining(['one', 'two']))
    expect(late.body.adoption.ms).toBeGreaterThanOrEqual(2000)

    // Neither instance has a handler.
    const lowered = await change('libraries.detail', { kind: 'ramp', weightBp: 100 })
    expect(lowered.status).toBe(200)
    const again = await change('libraries.detail', { kind: 'ramp', weightBp: 200 })
    expect(again.body.message).toContain(
      'these running instances cannot serve libraries.detail natively: one, two',
    )
    await sql`delete from gateway_instance where id in ('one', 'two', 'gone')`
  }, 30_000)

  it('lists states that this version cannot read, and lets the next change replace them', async () => {
    const { sql } = gateway.database
    await sql`insert into route_state (scope, weight_bp, mode, version) values ('libraries.remove', 0, 'auto', 3)`
    await sql`insert into route_state (scope, weight_bp, mode, version) values ('later.route', 0, 'auto', 3)`
    const { invalid, routes } = (await send('GET', '/api/routes')).body
    expect(invalid).toEqual([
      { scope: 'later.route', problem: 'scope is not a route label, area.* or *' },
      { scope: 'libraries.remove', problem: 'state is required for a route and not allowed for an area' },
    ])
    expect(routes.length).toBeGreaterThan(80)
    expect((await change('libraries.remove', { kind: 'kill' })).body.state).toMatchObject({
      killed: true,
      version: 4,
    })
    await sql`delete from route_state where scope = 'later.route'`
  })
})

describe('the audit', () => {
  const gateway = startTestGateway()

  it('cannot be updated, deleted or truncated', async () => {
    const { sql } = gateway.database
    const insert = sql`insert into route_audit (id, who, scope, action, reason, epoch)
      values ('a', 'alice', '*', 'kill', 'a test', 1)`
    await insert
    for (const statement of [
      sql`update route_audit set who = 'bob'`,
      sql`delete from route_audit`,
      sql`truncate route_audit`,
    ])
      await expect(statement).rejects.toThrow('route_audit is append-only')
    expect(await sql`select who from route_audit`).toEqual([{ who: 'alice' }])
  })
})
