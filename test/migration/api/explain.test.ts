import { describe, expect, it } from 'vitest'
import { changeRouteState } from '#migration/control/change-route-state.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'
import { testOperators, operatorTokens as tokens } from '#test/support/operators.ts'

describe("an instance's view of its routes", () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment: {
      OPERATORS: testOperators,
      GATEWAY_ROUTES: 'packs.list=native',
      GATEWAY_KILL: 'billing.status',
    },
    guard: createIdleGuard({
      isStopped: (label) => label === 'libraries.list',
      isPaused: (label) => label === 'libraries.detail',
    }),
  })

  const send = (method: string, path: string, body?: unknown) =>
    gateway.requestAdmin(method, path, { token: tokens.alice, ...(body === undefined ? {} : { body }) })
  const sentencesOf = async (path: string) => (await send('GET', `/api/routes/${path}`)).body.sentences
  const findListed = async (label: string) =>
    (await send('GET', '/api/routes')).body.routes.find((route: { label: string }) => route.label === label)

  it("includes the stages and kills in the instance's settings", async () => {
    expect(await sentencesOf('packs.list')).toEqual([
      'packs.list: proxy (as in the route table).',
      'GATEWAY_ROUTES sets packs.list to native on this instance, so the stored state does not apply.',
      'Native serves every account.',
    ])
    expect(await findListed('packs.list')).toMatchObject({ fixedHere: { stage: 'native' } })
    expect(await findListed('billing.status')).toMatchObject({
      killedBy: null,
      killedHere: 'billing.status',
    })
  })

  it('includes the stops and pauses on this instance', async () => {
    expect((await sentencesOf('libraries.detail'))[0]).toBe(
      'Native is paused on this instance, so the core serves the route for now.',
    )
    expect((await sentencesOf('libraries.list'))[0]).toMatch(/^Native was stopped on this instance/)
    expect(await findListed('libraries.list')).toMatchObject({
      isStoppedHere: true,
      isPausedHere: false,
    })
    expect(await findListed('libraries.detail')).toMatchObject({ isPausedHere: true })
  })

  it('remembers that the running code was stopped, even if different code has been stopped since', async () => {
    const label = 'tracks.list'
    const change = async (kind: string, fields: object = {}) => {
      const body = { change: { kind, ...fields }, reason: 'a test' }
      return (await send('POST', `/api/routes/${label}/changes`, body)).body
    }
    const [instance] = await gateway.database.sql`select keys from gateway_instance`
    const running: string = instance?.keys[label]
    await change('shadow')
    for (const stopped of [running, 'different code']) {
      await change('ramp', { weightBp: 100 })
      await gateway.database.db.transaction((tx) =>
        changeRouteState(
          tx,
          { scope: label, change: { kind: 'rollback' }, who: 'auto', reason: 'a test' },
          new Map([[label, stopped]]),
        ),
      )
    }
    expect(await findListed(label)).toMatchObject({ hasFailedCode: true })
    await expect
      .poll(() => sentencesOf(label))
      .toContain(
        `The code running here (${running}) was stopped automatically. Automation will not promote it again.`,
      )
    expect((await change('ramp', { weightBp: 100 })).warnings).toContain(
      `The current code of tracks.list (${running}) was stopped automatically. It will be stopped again unless the cause was elsewhere.`,
    )
    await change('kill')
    expect((await change('resume')).state).toMatchObject({ killed: false, stage: 'shadow' })
  })

  it('shows a route with missing settings as one without a handler', async () => {
    const label = 'packs.invitations.create'
    expect(await findListed(label)).toMatchObject({
      hasHandler: false,
      missingSettings: 'EMAIL_API_KEY and EMAIL_FROM are unset',
    })
    const [instance] = await gateway.database.sql`select keys from gateway_instance`
    expect(Object.keys(instance?.keys)).toContain('packs.invitations.list')
    expect(Object.keys(instance?.keys)).not.toContain(label)
    const change = { change: { kind: 'ramp', weightBp: 100 }, reason: 'a test' }
    expect((await send('POST', `/api/routes/${label}/changes`, change)).body).toEqual({
      error: 'route_change_illegal',
      message: `this instance cannot serve ${label} natively: npm run routes -- explain ${label} says why.`,
    })
  })
})
