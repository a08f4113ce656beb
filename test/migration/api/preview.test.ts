import { afterEach, describe, expect, it } from 'vitest'
import { saveRouteUsage } from '#db/queries/routing/route-usage.ts'
import { hashAccount } from '#migration/model/gate/account-sample.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { storeOverride } from '#test/support/routing.ts'

describe('the preview of a change', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  afterEach(() => gateway.database.sql`truncate route_usage`)

  const post = (path: string, body: object, token: string = operatorTokens.alice) =>
    gateway.requestAdmin('POST', `/api/routes/${encodeURIComponent(path)}/changes`, { token, body })
  const preview = (scope: string, change: object, more: object = {}, token: string = operatorTokens.rob) =>
    gateway.requestAdmin('POST', `/api/routes/${encodeURIComponent(scope)}/changes/preview`, {
      token,
      body: { change, ...more },
    })
  const change = (scope: string, body: object) => post(scope, { change: body, reason: 'a test' })
  const readStored = () =>
    gateway.database.sql`
      select (select epoch from routing_epoch), (select count(*)::int from route_audit) as entries,
        (select json_agg(route_state order by scope) from route_state) as states`
  const addAccounts = (label: string, count: number) =>
    saveRouteUsage(gateway.database.db, [
      {
        label,
        day: new Date().toISOString().slice(0, 10),
        instanceId: 'a',
        statuses: { 200: count },
        shapes: {},
        accounts: Array.from({ length: count }, (_, index) => hashAccount('secret', `acct_${index}`)).sort(),
      },
    ])

  it('says what the change would do, and changes nothing', async () => {
    await addAccounts('tracks.list', 40)
    const before = [...(await readStored())]
    const { status, body } = await preview('tracks.list', { kind: 'shadow' })
    expect([status, body.isLegal, body.reason, body.state.stage]).toEqual([200, true, null, 'shadow'])
    expect(body.sentences).toEqual(['tracks.list goes from proxy to shadow.', 'No account changes sides.'])
    expect([...(await readStored())]).toEqual(before)
    const { state } = (await change('tracks.list', { kind: 'shadow' })).body
    expect(state).toEqual(body.state)
  })

  it('says what a drill does, and how many overrides will not apply', async () => {
    for (const [accountId, scope, side] of [
      ['acct_1', 'libraries.list', 'core'],
      ['acct_1', '*', 'core'],
      ['acct_2', 'libraries.*', 'core'],
      ['acct_3', 'libraries.list', 'native'],
      ['acct_4', 'tracks.list', 'core'],
    ] as const)
      await storeOverride(gateway.database, { accountId, scope, side })
    const { body } = await preview('libraries.list', { kind: 'retire', drillMinutes: 60 })
    expect(body.sentences.slice(1)).toEqual([
      'The core no longer serves it. If native fails, the client gets an error.',
      'After the drill, native can fall back again. To end the drill sooner, ramp to 100 %.',
      '2 accounts have an override to the core, which will no longer apply, so native will serve them.',
    ])
    await gateway.database.sql`delete from account_override`
  })

  it("estimates how many accounts move, and includes the gate's warnings", async () => {
    await change('tracks.list', { kind: 'shadow' })
    const ramp = { kind: 'ramp', weightBp: 2500 }
    expect((await preview('tracks.list', ramp)).body.sentences).toContain(
      'It is not known how many accounts move, because none was recorded in the last 7 days.',
    )
    await addAccounts('tracks.list', 40)
    const { body } = await preview('tracks.list', ramp)
    expect(body.accounts).toEqual({ active: 40, toNative: 10, toCore: 0, used: null })
    expect(body.sentences).toEqual([
      'tracks.list goes from shadow to canary at 25 %.',
      'About 10 of the 40 accounts that used it in the last 7 days move to native.',
    ])
    const changed = await change('tracks.list', ramp)
    expect(body.warnings).toHaveLength(1)
    expect(body.warnings[0]).toMatch(/^Checks not met/)
    expect(changed.body.warnings).toHaveLength(1)
    const back = (await preview('tracks.list', { kind: 'shadow' })).body
    expect(back.accounts).toMatchObject({ active: 40, toNative: 0, toCore: 10 })
    const area = (await preview('tracks.*', { kind: 'kill' })).body
    // Native serves the area's other routes for all accounts, so every account moves to the core.
    expect(area.accounts).toMatchObject({ active: 40, toNative: 0, toCore: 40 })
    expect(area.sentences[0]).toBe('The core immediately takes over every two-sided route of tracks.*.')
  })

  it.each([
    [1, 'This probably does not move the 1 account that used it in the last 7 days.'],
    [2, 'This moves few or none of the 2 accounts that used it in the last 7 days.'],
  ])('says that a small step may move no account if only %i used the route', async (accounts, sentence) => {
    await addAccounts('packs.list', accounts)
    await change('packs.list', { kind: 'shadow' })
    const { body } = await preview('packs.list', { kind: 'ramp', weightBp: 100 })
    expect(body.sentences).toContain(sentence)
    await gateway.database.sql`delete from route_usage where label = 'packs.list'`
  })

  it('uses reads in the same area to estimate how many accounts a change to a write moves', async () => {
    await addAccounts('tracks.list', 40)
    const { body } = await preview('tracks.create', { kind: 'ramp', weightBp: 2500 })
    expect(body.sentences).toContain(
      'About 10 of the 40 accounts that used tracks.* in the last 7 days move to native.',
    )
  })

  it('says why the change itself would be rejected', async () => {
    for (const [scope, body] of [
      ['tracks.detail', { kind: 'ramp', weightBp: 10_000 }],
      ['webhooks.billing', { kind: 'kill' }],
      ['tracks.*', { kind: 'shadow' }],
      ['libraries.create', { kind: 'shadow' }],
    ] as const) {
      const { isLegal, reason, state, sentences } = (await preview(scope, body)).body
      expect([isLegal, state], scope).toEqual([false, null])
      expect((await change(scope, body)).body.message, scope).toBe(`${reason}.`)
      expect(sentences).toEqual([`This change would be rejected: ${reason}.`])
    }
    const stale = await preview('tracks.list', { kind: 'kill' }, { version: 99 })
    expect(stale.body.reason).toMatch(/^tracks\.list changed while you were deciding \(now version \d+\)$/)
  })

  it('requires an operator who may read, and rejects bad input', async () => {
    expect((await preview('tracks.list', { kind: 'kill' }, {}, operatorTokens.ci)).status).toBe(403)
    expect((await preview('tracks.list', { kind: 'explode' })).body.error).toBe('validation_error')
    expect((await preview('tracks.lst', { kind: 'kill' })).body.error).toBe('route_scope_unknown')
  })
})
