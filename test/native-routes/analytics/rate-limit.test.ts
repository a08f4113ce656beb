import { describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'

describe('the analytics rate limit', () => {
  const gateway = startTestGateway({ environment: { RATE_LIMIT_ANALYTICS: '6/60' } })

  it("counts an account's requests across all instances", async () => {
    const another = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    try {
      const [alice, bob] = [await gateway.signUp(), await gateway.signUp()]
      const send = (origin: string, token: string) =>
        requestAt(origin, 'GET', '/v1/analytics/overview', { token })
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, n) => send(n % 2 === 0 ? gateway.url : another.url, alice.token)),
      )
      const withStatus = (status: number) => responses.filter((response) => response.status === status)
      expect([withStatus(200).length, withStatus(429).length]).toEqual([6, 14])
      for (const { headers, body } of withStatus(429)) {
        expect(body).toEqual(errorBody('analytics_rate_limited'))
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(50)
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
      }
      expect((await send(another.url, bob.token)).status).toBe(200)
      expect((await gateway.request('GET', '/v1/analytics/overview')).status).toBe(401)
    } finally {
      await another.close()
    }
  })

  it('admits the account again once its window has ended', async () => {
    const alice = await gateway.signUp()
    const send = async () => (await alice.get('/v1/analytics/events')).status
    for (let n = 0; n < 6; n++) expect(await send()).toBe(200)
    await gateway.database.sql`update rate_limits set resets_at = now()`
    expect(await send()).toBe(200)
  })
})
