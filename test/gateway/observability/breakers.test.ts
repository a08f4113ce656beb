import { describe, expect, it } from 'vitest'
import { list } from '#contracts/libraries.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { createCoreBreakerLog } from '#gateway/observability/log.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const readGauge = async (gateway: TestGateway) => {
  const { body } = await gateway.requestAdmin('GET', '/metrics')
  const samples: RegExpMatchArray[] = [...body.matchAll(/^crossfade_breaker_open\{breaker="(.+)"\} (\d)$/gm)]
  return Object.fromEntries(samples.map(([, breaker, value]) => [breaker, Number(value)]))
}

const listChanges = ({ log }: Pick<TestGateway, 'log'>) =>
  log.lines.filter(({ message }) => /^(circuit breaker|route pause)/.test(message))

const failingHandlers = {
  ...handlers,
  'libraries.list': defineRoute(list, () => Promise.reject(new NotPortedError())),
}

describe('the breakers of a gateway with a core', () => {
  const gateway = startTestGateway({ core: 'recording', handlers: failingHandlers })
  const movable = labels.filter((label) => rowOf(label).runtime !== 'native-only' && label in handlers)

  it('have a gauge that is 0 while they are closed', async () => {
    expect(await readGauge(gateway)).toEqual(
      Object.fromEntries(['core', ...movable].map((name) => [name, 0])),
    )
    expect((await gateway.requestAdmin('GET', '/metrics')).body).toContain(
      '# TYPE crossfade_breaker_open gauge\n',
    )
  })

  it('log one line and set a gauge when a route is paused', async () => {
    const account = await gateway.signUp()
    for (let round = 0; round < 10; round += 1) await account.get('/v1/libraries')
    expect(listChanges(gateway)).toEqual([
      {
        level: 'warn',
        message: 'route paused',
        fields: { route: 'libraries.list', requests: 6, fallbacks: 6, traceId: expect.any(String) },
      },
    ])
    expect(await readGauge(gateway)).toMatchObject({ 'libraries.list': 1, 'libraries.create': 0, core: 0 })
  })

  it("log one line and set a gauge when the core's breaker opens", async () => {
    await gateway.stopCore()
    const before = listChanges(gateway).length
    for (let round = 0; round < 10; round += 1)
      expect((await gateway.request('POST', '/v1/tracks')).status).toBe(503)
    expect(listChanges(gateway).slice(before)).toEqual([
      {
        level: 'warn',
        message: 'circuit breaker opened',
        fields: { breaker: 'core', endpoint: expect.any(String), failures: 5, cause: 'unreachable' },
      },
    ])
    expect(await readGauge(gateway)).toMatchObject({ core: 1 })
  })
})

describe('a gateway without a core', () => {
  const gateway = startTestGateway()

  it('has no breaker gauge, because it never bypasses native', async () => {
    expect(await readGauge(gateway)).toEqual({})
  })
})

describe('the breaker log', () => {
  it.each([
    ['open', 'warn', 'circuit breaker opened'],
    ['half-open', 'info', 'circuit breaker half-opened'],
    ['closed', 'info', 'circuit breaker closed'],
  ] as const)('has a line for the state %s', (state, level, message) => {
    const log = createRecordingLog()
    const counts = { failures: 7, cause: 'hanging' } as const
    createCoreBreakerLog(log, 'core.test:443')(state, counts)
    expect(log.lines).toEqual([
      { level, message, fields: { breaker: 'core', endpoint: 'core.test:443', ...counts } },
    ])
  })
})
