import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

describe('the view of an account', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const token = operatorTokens.alice

  const change = async (scope: string, body: object) => {
    const path = `/api/routes/${encodeURIComponent(scope)}/changes`
    const response = await gateway.requestAdmin('POST', path, {
      token,
      body: { change: body, reason: 'a test' },
    })
    expect(response.status).toBe(200)
  }
  const override = (method: string, body: object) =>
    gateway.requestAdmin(method, '/api/overrides', { token, body: { ...body, reason: 'a test' } })
  const read = async (account: string, label: string) => {
    const { body } = await gateway.requestAdmin('GET', `/api/accounts/${account}`, {
      token: operatorTokens.rob,
    })
    return body.routes.find((route: { label: string }) => route.label === label)
  }
  const readLastChange = async () => {
    const [row] = await gateway.database.sql`select at from route_audit order by epoch desc limit 1`
    return new Date(row?.at).toISOString()
  }

  it('says which side serves each route, why and since when', async () => {
    const label = 'libraries.list'
    expect(await read('acct_1', label)).toMatchObject({
      side: 'native',
      stage: 'native',
      since: null,
      override: null,
    })
    await change(label, { kind: 'ramp', weightBp: 5000 })
    const accounts = []
    for (const id of Array.from({ length: 12 }, (_, index) => `acct_${index}`))
      accounts.push({ id, ...(await read(id, label)) })
    const rampedAt = await readLastChange()
    const native = accounts.find(({ side }) => side === 'native')
    const core = accounts.find(({ side }) => side === 'core')
    expect(native).toMatchObject({ stage: 'canary', weightBp: 5000, since: null })
    expect(native?.bucket).toBeLessThan(5000)
    expect(core).toMatchObject({ since: rampedAt })
    expect(core?.sentences[1]).toContain(`${core?.id} is in bucket ${core?.bucket}.`)
    // The account stays on the core despite the higher percentage, so `since` does not change.
    await change(label, { kind: 'ramp', weightBp: Math.min(9999, core?.bucket ?? 0) })
    expect(await read(core?.id ?? '', label)).toMatchObject({ side: 'core', since: rampedAt })

    await change('libraries.*', { kind: 'kill' })
    const killedAt = await readLastChange()
    expect(await read(native?.id ?? '', label)).toMatchObject({ side: 'core', since: killedAt })
    expect(await read(core?.id ?? '', label)).toMatchObject({ side: 'core', since: rampedAt })
    await change('libraries.*', { kind: 'resume' })
    expect(await read(native?.id ?? '', label)).toMatchObject({
      side: 'native',
      since: await readLastChange(),
    })
  })

  it('shows the override that applies, and the side changes when an override begins or ends', async () => {
    const label = 'libraries.detail'
    const key = { accountId: 'acct_pinned', scope: 'libraries.*' }
    await override('PUT', { ...key, side: 'core', until: null })
    const pinnedAt = await readLastChange()
    const pinned = await read('acct_pinned', label)
    expect(pinned).toMatchObject({
      side: 'core',
      since: pinnedAt,
      override: { scope: 'libraries.*', who: 'alice' },
    })
    await override('DELETE', key)
    expect(await read('acct_pinned', label)).toMatchObject({
      side: 'native',
      since: await readLastChange(),
      override: null,
    })
    const until = new Date(Date.now() + 700).toISOString()
    await override('PUT', { ...key, side: 'core', until })
    await expect
      .poll(() => read('acct_pinned', label), { timeout: 10_000 })
      .toMatchObject({ side: 'native', since: until })
  })

  it('shows the narrowest override that has not ended, and none for a route that a share link decides', async () => {
    const label = 'libraries.detail'
    const pin = (scope: string, side: string) =>
      override('PUT', { accountId: 'acct_twice', scope, side, until: null })
    const shown = async (of: string) => (await read('acct_twice', of)).override?.scope ?? null
    await pin('*', 'core')
    await pin('libraries.*', 'native')
    expect([await shown(label), await shown('public.pack-links.detail')]).toEqual(['libraries.*', null])
    await gateway.database
      .sql`update account_override set until = now() - interval '1 minute' where scope = 'libraries.*'`
    expect(await shown(label)).toBe('*')
  })

  it('marks routes whose side depends on the share link, and gives them no bucket or date', async () => {
    const route = await read('acct_1', 'public.pack-links.detail')
    expect(route).toMatchObject({ isDecidedByLink: true, bucket: null, since: null })
  })

  it('requires an operator with read permission', async () => {
    const { status } = await gateway.requestAdmin('GET', '/api/accounts/acct_1', { token: operatorTokens.ci })
    expect(status).toBe(403)
  })
})
