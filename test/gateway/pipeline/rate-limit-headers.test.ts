import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { isRedisInstalled, type RedisServer, startRedisServer } from '#test/support/redis-server.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const environment = {
  RATE_LIMIT_UPLOADS: '2/3600',
  RATE_LIMIT_ANALYTICS: '2/60',
  RATE_LIMIT_PUBLIC_READS: '100/60',
  RATE_LIMIT_ACCESS_CODES: '1/600',
}
const audio = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1024 }

const readLimits = ({ headers }: { headers: Headers }) => ({
  limits: headers.get('ratelimit'),
  policies: headers.get('ratelimit-policy'),
})

const expectLimitsOf = (gateway: TestGateway) => {
  it('count down on a limited route, and name the limit that caused a 429', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const upload = () => account.post(`/v1/tracks/${trackId}/versions/uploads`, audio)
    for (const [status, remaining] of [
      [201, 1],
      [201, 0],
      [429, 0],
    ]) {
      const response = await upload()
      expect(response.status).toBe(status)
      const { limits, policies } = readLimits(response)
      expect(limits).toMatch(new RegExp(`^"uploads";r=${remaining};t=3(600|59\\d)$`))
      expect(policies).toBe('"uploads";q=2;w=3600')
    }
  })

  it('are also sent with errors', async () => {
    const account = await gateway.signUp()
    const response = await account.get('/v1/analytics/tracks/none')
    expect(response.status).toBe(404)
    expect(readLimits(response).limits).toMatch(/^"analytics";r=1;t=\d+$/)
  })

  it('count uses that are only reserved in advance as remaining', async () => {
    const { packId } = await insertPackOf(gateway.database.sql, 'acct_of_pack')
    const { slug } = await insertPackLink(gateway.database.sql, packId)
    for (const remaining of [99, 98, 97]) {
      const { limits, policies } = readLimits(await gateway.request('GET', `/v1/public/pack-links/${slug}`))
      expect(limits).toMatch(new RegExp(`^"public-reads";r=${remaining};t=\\d+$`))
      expect(policies).toBe('"public-reads";q=100;w=60')
    }
  })

  it('name every limit that the request counted against', async () => {
    const { packId } = await insertPackOf(gateway.database.sql, 'acct_of_pack')
    const { slug } = await insertPackLink(gateway.database.sql, packId, { accessCode: 'right' })
    const guess = (code: string) => gateway.request('GET', `/v1/public/pack-links/${slug}?accessCode=${code}`)
    expect((await guess('wrong')).status).toBe(403)
    const rejected = await guess('wrong-too')
    expect(rejected.status).toBe(429)
    expect(readLimits(rejected).limits).toMatch(/^"public-reads";r=98;t=\d+, "access-codes";r=0;t=\d+$/)
    expect(readLimits(rejected).policies).toBe('"public-reads";q=100;w=60, "access-codes";q=1;w=600')
  })

  it('are absent from routes without a limit', async () => {
    const account = await gateway.signUp()
    const response = await account.post('/v1/libraries', { name: 'A' })
    expect(readLimits(response)).toEqual({ limits: null, policies: null })
  })
}

describe('the rate limit headers with PostgreSQL', () => {
  expectLimitsOf(startTestGateway({ control: 'fixed', environment }))
})

describe.runIf(process.env.CI !== undefined || (await isRedisInstalled()))(
  'the rate limit headers with Redis',
  () => {
    let redis: RedisServer | undefined
    beforeAll(async () => {
      redis = await startRedisServer()
      redisEnvironment.REDIS_URL = redis.url
    })
    const redisEnvironment: Record<string, string> = { ...environment }
    // Registered before the gateway's hook, so that Redis stops after the gateway.
    afterAll(() => redis?.stop())
    expectLimitsOf(startTestGateway({ control: 'fixed', environment: redisEnvironment }))
  },
)
