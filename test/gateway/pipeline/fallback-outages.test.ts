import { describe, expect, it } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { create } from '#contracts/libraries.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import type { Ports } from '#native-routes/ports.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'
import type { TestResponse } from '#test/support/request-at.ts'

type OutageHandler<I> = (input: I, ports: Ports) => Promise<never>
type OutageInput = {
  readonly actor: { readonly accountId: string }
  readonly body: { readonly name: string }
}

const notSet = () => Promise.reject(new Error('the test must set the behaviour of the handler'))
let onWrite: OutageHandler<OutageInput> = notSet

const adjustableHandlers = {
  ...handlers,
  'libraries.create': defineRoute(create, (input, ports) => onWrite(input, ports)),
}

const runtimeOf = ({ headers }: TestResponse) => [
  headers.get('x-service-core-runtime'),
  headers.get('x-service-proxy-fallback'),
]

describe('falling back to an unavailable core', () => {
  const gateway = startTestGateway({ core: 'recording', handlers: adjustableHandlers })

  it('returns core_unavailable without retrying native', async () => {
    const account = await gateway.signUp()
    onWrite = async () => Promise.reject(new NotPortedError())
    await gateway.stopCore()
    const response = await account.post('/v1/libraries', { name: 'x' })
    expect([response.status, response.body, ...runtimeOf(response)]).toEqual([
      503,
      errorBody('core_unavailable'),
      'proxy',
      '1',
    ])
  })
})

describe('a native route that keeps failing', () => {
  const gateway = startTestGateway({ core: 'recording', handlers: adjustableHandlers })

  const callsOfTen = async (account: TestAccount, error: Error) => {
    let calls = 0
    onWrite = async () => {
      calls += 1
      throw error
    }
    const before = gateway.core.requests.length
    for (let round = 0; round < 10; round += 1) {
      expect(runtimeOf(await account.post('/v1/libraries', { name: `${round}` }))).toEqual(['proxy', '1'])
    }
    expect(gateway.core.requests).toHaveLength(before + 10)
    return calls
  }

  it('does not open its breaker when tokens cannot be verified', async () => {
    const account = await gateway.signUp()
    expect(await callsOfTen(account, new ApiError('authentication_unavailable'))).toBe(10)
  })

  it('opens its breaker, so that requests go straight to the core', async () => {
    const account = await gateway.signUp()
    expect(await callsOfTen(account, new NotPortedError())).toBe(6)
    expect(runtimeOf(await account.get('/v1/libraries'))).toEqual(['native', '0'])
  })
})

describe('a native route that the core cannot serve instead', () => {
  /** How long each request took, on which automatic stops are based; null if the route is not to blame. */
  const durations: (number | null)[] = []
  const gateway = startTestGateway({
    guard: createIdleGuard({
      settled: (settled) => settled.side === 'native' && void durations.push(settled.durationMs),
    }),
    environment: { AUTH_JWKS_URL: 'http://127.0.0.1:1/jwks.json' },
  })

  it('is not to blame while tokens cannot be verified', async () => {
    const account = await gateway.signUp()
    const { status, body } = await account.get('/v1/libraries')
    expect([status, body]).toEqual([503, errorBody('authentication_unavailable')])
    expect(durations).toEqual([null])
  })
})
