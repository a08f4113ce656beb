import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators, operatorTokens as tokens } from '#test/support/operators.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt, type TestResponse } from '#test/support/request-at.ts'

const { 'libraries.list': _, 'libraries.create': __, ...handlersOfOldBuild } = handlers

const sideOf = ({ status, headers }: TestResponse) => [
  status,
  headers.get('x-service-core-runtime'),
  headers.get('x-service-proxy-fallback'),
]

describe('an older instance that lacks the handlers of two native routes', () => {
  const newer = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const log = createRecordingLog()
  let older: RunningGateway | null = null
  let olderUrl = ''
  let olderId: string

  beforeAll(async () => {
    older = await startGateway({ settings: newer.settings, log, handlers: handlersOfOldBuild })
    olderUrl = older.url
    const [row] = await newer.database.sql`
      select id from gateway_instance where not keys::jsonb ? 'libraries.list'`
    olderId = row?.id
  })
  const stopOlder = async () => {
    await older?.close()
    older = null
  }
  afterAll(stopOlder)

  const ramp = (weightBp: number) =>
    newer.requestAdmin('POST', '/api/routes/libraries.list/changes', {
      token: tokens.alice,
      body: { change: { kind: 'ramp', weightBp }, reason: 'a test' },
    })
  const listAt = (url: string, token: string) => requestAt(url, 'GET', '/v1/libraries', { token })

  it('forwards these routes, although the newer instance serves them natively, and logs why', async () => {
    const { token } = await newer.signUp()
    expect(sideOf(await listAt(newer.url, token))).toEqual([200, 'native', '0'])
    for (const method of ['GET', 'POST']) {
      const requestId = crypto.randomUUID()
      const response = await requestAt(olderUrl, method, '/v1/libraries', {
        token,
        headers: { 'x-request-id': requestId },
        ...(method === 'POST' && { body: { name: 'A' } }),
      })
      expect(sideOf(response)).toEqual([200, 'proxy', '0'])
      const findLine = () => log.forRequest(requestId).find(({ message }) => message === 'request')
      await expect.poll(findLine).toMatchObject({ fields: { reason: 'static', runtime: 'proxy' } })
    }
  })

  it('forwards these routes for every account, even if the newer instance serves a percentage natively', async () => {
    const lowered = await ramp(5000)
    expect(lowered.body).toMatchObject({
      state: { stage: 'canary' },
      adoption: { instances: 2, missing: [] },
    })
    const accounts = await Promise.all(Array.from({ length: 20 }, () => newer.signUp({ plan: 'free' })))
    const ofNewer = await Promise.all(accounts.map(({ token }) => listAt(newer.url, token)))
    expect(new Set(ofNewer.map((response) => sideOf(response)[1]))).toEqual(new Set(['native', 'proxy']))
    const ofOlder = await Promise.all(accounts.map(({ token }) => listAt(olderUrl, token)))
    expect(ofOlder.map(sideOf)).toEqual(accounts.map(() => [200, 'proxy', '0']))
  })

  it("prevents the routes' percentage from being raised until it has stopped", async () => {
    expect(await ramp(10_000)).toMatchObject({
      status: 409,
      body: {
        error: 'route_change_illegal',
        message: `these running instances cannot serve libraries.list natively: ${olderId}.`,
      },
    })
    await stopOlder()
    expect(await ramp(10_000)).toMatchObject({
      status: 200,
      body: { state: { stage: 'native' }, adoption: { instances: 1, missing: [] } },
    })
    const { token } = await newer.signUp()
    expect(sideOf(await listAt(newer.url, token))).toEqual([200, 'native', '0'])
  })
})
