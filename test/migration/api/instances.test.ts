import { afterEach, describe, expect, it } from 'vitest'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators, operatorTokens as tokens } from '#test/support/operators.ts'

describe('an instance that does not report', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })

  const send = (method: string, path: string, body?: unknown, token: string = tokens.alice) =>
    gateway.requestAdmin(method, path, { token, ...(body === undefined ? {} : { body }) })
  const change = (scope: string, kind: object) =>
    send('POST', `/api/routes/${encodeURIComponent(scope)}/changes`, { change: kind, reason: 'a test' })
  const forget = (id: string, token?: string) =>
    send('DELETE', `/api/instances/${id}`, { reason: 'its machine is gone' }, token)

  const insertUnreported = async (id: string, lastReportAgeS: number, keys: Record<string, string> = {}) => {
    const { db, sql } = gateway.database
    await upsertInstance(db, { id, build: 'b', keys, epoch: 0 })
    await sql`update gateway_instance set beat_at = now() - ${lastReportAgeS} * interval '1 second' where id = ${id}`
  }
  afterEach(() => gateway.database.sql`delete from gateway_instance where build = 'b'`)

  it('is listed as unknown, not as one that has or has not adopted the epoch', async () => {
    await change('libraries.list', { kind: 'hold' })
    await Promise.all([
      insertUnreported('late', 5),
      insertUnreported('unreported', 40),
      insertUnreported('gone', 4000),
    ])
    const { epoch, adopted, missing, unknown } = (await send('GET', '/api/instances')).body
    expect(adopted).toMatchObject([{ epoch, lastReportAgeS: expect.any(Number) }])
    expect(missing).toMatchObject([{ id: 'late', epoch: 0 }])
    expect(unknown).toEqual([{ id: 'unreported', epoch: 0, lastReportAgeS: expect.any(Number) }])
    expect(unknown[0].lastReportAgeS).toBeGreaterThanOrEqual(40)
    const { instances } = (await send('GET', '/api/routes')).body
    expect(instances).toMatchObject({ live: 2, adopted: 1, unknown: [{ id: 'unreported' }] })
  })

  it("does not delay a change, and is named in the change's response", async () => {
    await insertUnreported('unreported', 40)
    const { adoption } = (await change('libraries.create', { kind: 'kill' })).body
    expect(adoption).toMatchObject({ instances: 1, adopted: 1, missing: [], unknown: [{ id: 'unreported' }] })
    expect(adoption.ms).toBeLessThan(2000)
  })

  it('blocks steps towards native for two minutes, but never steps towards the core', async () => {
    await insertUnreported('unreported', 40)
    const ramp = (weightBp: number) => change('libraries.detail', { kind: 'ramp', weightBp })
    const resume = () => change('libraries.*', { kind: 'resume' })
    expect((await ramp(100)).status).toBe(200)
    const rise = await ramp(200)
    expect(rise).toMatchObject({ status: 409, body: { error: 'route_change_illegal' } })
    expect(rise.body.message).toMatch(
      /^these instances have not reported and may still be serving an older state: unreported \(for \d+ s\); wait until they report, or forget those that have ended: npm run routes -- forget INSTANCE\.$/,
    )
    expect((await change('libraries.*', { kind: 'kill' })).status).toBe(200)
    expect((await resume()).status).toBe(409)
    await insertUnreported('unreported', 121)
    expect((await resume()).status).toBe(200)
    expect((await ramp(200)).status).toBe(200)
  })

  it('is forgotten on request unless it still reports, and the audit records the reason', async () => {
    await insertUnreported('unreported', 40)
    expect((await forget('unreported', tokens.rob)).status).toBe(403)
    const forgotten = await forget('unreported')
    expect(forgotten).toMatchObject({
      status: 200,
      body: { adoption: { instances: 1, adopted: 1, missing: [], unknown: [] } },
    })
    expect((await send('GET', '/api/audit?limit=1')).body.entries[0]).toMatchObject({
      who: 'alice',
      scope: 'unreported',
      action: 'forget',
      reason: 'its machine is gone',
      before: { build: 'b', epoch: 0, lastReportAgeS: expect.any(Number) },
      after: null,
      epoch: forgotten.body.epoch,
    })
    expect(await forget('unreported')).toMatchObject({
      status: 404,
      body: { error: 'gateway_instance_not_found' },
    })
    const [{ id }] = (await send('GET', '/api/instances')).body.adopted
    const live = await forget(id)
    expect(live).toMatchObject({ status: 409, body: { error: 'gateway_instance_live' } })
    expect(live.body.message).toMatch(/reported \d+ s ago\. Stop it, /)
    expect((await send('DELETE', `/api/instances/${id}`, {})).status).toBe(400)
  })

  it('has audit entries that can be filtered by its id and read page by page', async () => {
    for (const id of ['gone-1', 'gone-2', 'gone-3']) {
      await insertUnreported(id, 40)
      expect((await forget(id)).status).toBe(200)
    }
    const scopesOf = async (query: string) => {
      const { entries } = (await send('GET', `/api/audit?${query}`)).body
      return entries.map(({ scope, epoch }: { scope: string; epoch: number }) => ({ scope, epoch }))
    }
    const newest = await scopesOf('limit=2')
    expect(newest).toMatchObject([{ scope: 'gone-3' }, { scope: 'gone-2' }])
    expect(await scopesOf(`limit=1&before=${newest[1].epoch}`)).toMatchObject([{ scope: 'gone-1' }])
    expect(await scopesOf('scope=gone-2')).toMatchObject([{ scope: 'gone-2' }])
    expect(await send('GET', '/api/audit?scope=gone-4')).toMatchObject({
      status: 404,
      body: {
        error: 'route_scope_unknown',
        message: expect.stringContaining(
          '"gone-4" is not a route label, area.*, * or the id of a forgotten instance. Closest: ',
        ),
      },
    })
  })

  it('counts again if it reports after it was forgotten', async () => {
    await insertUnreported('unreported', 40)
    await forget('unreported')
    await insertUnreported('unreported', 0)
    expect((await send('GET', '/api/instances')).body.missing).toMatchObject([{ id: 'unreported' }])
  })
})
