import { describe, expect, it } from 'vitest'
import { create, list, sharedWithMe } from '#contracts/libraries.ts'
import type { Label } from '#contracts/route-table.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'
import type { RecordingLog } from '#test/support/recording-log.ts'
import { storeRouteState } from '#test/support/routing.ts'

const findLastEpoch = ({ lines }: RecordingLog) =>
  Number(lines.findLast(({ message }) => message === 'routing state adopted')?.fields.epoch)

describe('a gateway', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: {
      ...handlers,
      'libraries.create': defineRoute(create, async () => {
        throw new TypeError('fault')
      }),
      'libraries.shared-with-me': defineRoute(sharedWithMe, async () => {
        throw new TypeError('fault')
      }),
      'libraries.list': defineRoute(list, async () => {
        throw new TypeError('fault')
      }),
    },
  })
  const isNative = ({ headers }: { headers: Headers }) => headers.get('x-service-core-runtime') === 'native'
  const stopOf = (route: Label) =>
    expect.objectContaining({
      message: 'native route stopped',
      fields: expect.objectContaining({ route, cause: 'errors', observer: 'instance' }),
    })
  const repeat = async <T>(count: number, work: () => Promise<T>) => {
    const results: T[] = []
    for (let sent = 0; sent < count; sent += 1) results.push(await work())
    return results
  }

  // Native serves almost all accounts: only one bucket of 10,000 is left out.
  const moveToCanary = async (scope: Label) => {
    const epoch = await storeRouteState(gateway.database, { scope, state: 'canary', weightBp: 9999 })
    // Another route may be rolled back right afterwards, which raises the epoch again.
    await expect.poll(() => findLastEpoch(gateway.log)).toBeGreaterThanOrEqual(epoch)
  }

  it('stops a write that throws six times, even though no request fell back', async () => {
    await moveToCanary('libraries.create')
    const account = await gateway.signUp()
    const responses = await repeat(10, () => account.post('/v1/libraries', { name: 'A' }))
    expect(responses.filter(isNative)).toHaveLength(6)
    expect(gateway.log.lines).toContainEqual(stopOf('libraries.create'))
  })

  it('rolls back the stored state of a stopped route, and then routes by the new state', async () => {
    const { sql } = gateway.database
    const findState = () => sql`select state, weight_bp from route_state where scope = 'libraries.create'`
    await expect.poll(findState).toEqual([{ state: 'proxy', weight_bp: 0 }])
    const [entry] = await sql`select who, action, reason from route_audit where scope = 'libraries.create'`
    expect(entry).toMatchObject({
      who: 'auto',
      action: 'rollback',
      reason: 'native fails more often than expected, seen on one instance',
    })
    const account = await gateway.signUp()
    const runtimeOf = async () => isNative(await account.post('/v1/libraries', { name: 'A' }))
    await expect.poll(runtimeOf).toBe(false)
  })

  it('stops a read that throws six times', async () => {
    await moveToCanary('libraries.list')
    const account = await gateway.signUp()
    await repeat(10, () => account.get('/v1/libraries'))
    expect(gateway.log.lines).toContainEqual(stopOf('libraries.list'))
  })

  it('stops a route that native serves to everyone', async () => {
    // The route has no stored state, so the route table decides that native serves it.
    const account = await gateway.signUp()
    const responses = await repeat(10, () => account.get('/v1/libraries/shared-with-me'))
    expect(responses.filter(isNative)).toHaveLength(0)
    expect(gateway.log.lines).toContainEqual(stopOf('libraries.shared-with-me'))
    const { sql } = gateway.database
    const findState = () =>
      sql`select state, version from route_state where scope = 'libraries.shared-with-me'`
    await expect.poll(findState).toEqual([{ state: 'shadow', version: 1 }])
  })

  it('does not stop a route because of client errors', async () => {
    const account = await gateway.signUp()
    const path = `/v1/libraries/${crypto.randomUUID()}`
    await repeat(20, () => gateway.request('GET', path, { token: 'invalid' }))
    await repeat(20, () => account.get(path))
    expect(isNative(await account.get(path))).toBe(true)
  })
})

describe('a gateway without its database', () => {
  const gateway = startTestGateway({ core: 'recording', throughRelay: true })

  it('stops no route while the database is down', async () => {
    await storeRouteState(gateway.database, { scope: 'libraries.list', state: 'canary', weightBp: 9999 })
    const account = await gateway.signUp()
    await expect.poll(() => findLastEpoch(gateway.log)).toBe(1)
    gateway.relay.setUnavailable(true)
    for (let sent = 0; sent < 10; sent += 1) await account.get('/v1/libraries')
    gateway.relay.setUnavailable(false)
    expect(gateway.log.lines.filter(({ message }) => message === 'native route stopped')).toEqual([])
  })
})

describe('a gateway without a core', () => {
  const calls: string[] = []
  const gateway = startTestGateway({
    guard: createIdleGuard({
      adoptSteps: () => void calls.push('adoptSteps'),
      adoptBaselines: () => void calls.push('adoptBaselines'),
      takeDeltas: () => {
        calls.push('takeDeltas')
        return new Map()
      },
    }),
  })

  // A gateway with a core calls all of these functions while it starts.
  it('neither observes its routes nor evaluates what other instances have observed', async () => {
    await storeRouteState(gateway.database, { scope: 'libraries.list', state: 'canary', weightBp: 9999 })
    await expect.poll(() => findLastEpoch(gateway.log)).toBe(1)
    expect(calls).toEqual([])
  })
})
