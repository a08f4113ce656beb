import { describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { createConsoleClient } from './browse.ts'

const changePath = '/console/routes/tracks.list/change'
const kill = { kind: 'kill', reason: 'a test' }

describe('signing out of the console', () => {
  const gateway = startTestGateway({
    core: 'recording',
    throughRelay: true,
    routingThroughRelay: true,
    environment: { OPERATORS: testOperators },
  })
  const { get, post, signIn } = createConsoleClient(gateway)
  const signOut = (cookie: string) => post('/console/sign-out', {}, { cookie })
  const isSignedIn = async (cookie: string) => (await get('/console', cookie)).status === 200

  /** Starts an instance that stands in for another one with the same database, or for this one after a restart. */
  const startInstance = async () => {
    const { adminUrl, close } = await startGateway({
      settings: gateway.settings,
      log: createRecordingLog(),
    })
    onTestFinished(() => close())
    return async (cookie: string) => {
      const { status } = await fetch(`${adminUrl}/console`, { headers: { cookie }, redirect: 'manual' })
      return status === 200
    }
  }

  it('also ends the session for a copy of the cookie', async () => {
    const cookie = await signIn()
    expect(await isSignedIn(cookie)).toBe(true)
    expect((await signOut(cookie)).status).toBe(303)
    expect(await isSignedIn(cookie)).toBe(false)
    expect((await get('/console', cookie, { 'x-console-refresh': '1' })).status).toBe(401)
    expect((await post(changePath, kill, { cookie })).status).toBe(401)
    expect(await gateway.database.sql`select from route_audit`).toEqual([])
  })

  it('ends the session on every instance, and also after a restart', async () => {
    const cookie = await signIn()
    const isSignedInElsewhere = await startInstance()
    expect(await isSignedInElsewhere(cookie)).toBe(true)
    await signOut(cookie)
    expect(await isSignedInElsewhere(cookie)).toBe(false)
    const isSignedInLater = await startInstance()
    expect(await isSignedInLater(cookie)).toBe(false)
  })

  it('ends no other session of the same operator, even one that started in the same second', async () => {
    const cookies = await Promise.all([signIn(), signIn(), signIn()])
    expect(new Set(cookies).size).toBe(3)
    await signOut(cookies[0])
    expect(await Promise.all([...cookies, await signIn()].map(isSignedIn))).toEqual([false, true, true, true])
  })

  it('happens automatically when another operator signs in with the same browser', async () => {
    const former = await signIn('rob')
    const response = await post('/console/sign-in', { token: operatorTokens.alice }, { cookie: former })
    const next = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    expect(await Promise.all([former, next].map(isSignedIn))).toEqual([false, true])
  })

  it('can be repeated, and needs no session', async () => {
    const cookie = await signIn()
    for (const sent of [cookie, cookie, 'crossfade_console=x.9999999999.y.alice', '']) {
      const { status, headers } = await signOut(sent)
      expect([status, headers.get('location')]).toEqual([303, '/console/sign-in'])
    }
  })

  it('reports that the database is unavailable, and keeps the cookie for another try', async () => {
    const cookie = await signIn()
    gateway.relay.setUnavailable(true)
    const responses = [
      await signOut(cookie),
      await get('/console', cookie),
      await post(changePath, kill, { cookie }),
    ]
    gateway.relay.setUnavailable(false)
    for (const { status, headers, body } of responses) {
      expect([status, headers.get('set-cookie')]).toEqual([503, null])
      expect(body).toContain(
        'The console keeps its sessions in the database, which did not respond. Try again.',
      )
    }
    await expect.poll(() => isSignedIn(cookie), { timeout: 10_000 }).toBe(true)
    expect((await signOut(cookie)).status).toBe(303)
    expect(await isSignedIn(cookie)).toBe(false)
  })

  it("is logged without the session's cookie", async () => {
    const cookie = await signIn()
    await signOut(cookie)
    await signOut(cookie)
    const lines = gateway.log.lines.filter(({ message }) => message === 'operator signed out')
    expect(lines.at(-1)).toMatchObject({ level: 'info', fields: { operator: 'alice' } })
    expect(JSON.stringify(gateway.log.lines)).not.toContain(cookie.split('.')[2])
  })
})
