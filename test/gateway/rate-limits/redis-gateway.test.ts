import { describe, expect, inject, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'

const limited = { RATE_LIMIT_PUBLIC_READS: '40/600' }

const countAdmitted = async (origins: readonly string[], path: string, count: number) => {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, n) => requestAt(origins[n % origins.length]!, 'GET', path)),
  )
  return responses.filter(({ status }) => status === 404).length
}
const linkPath = () => `/v1/public/track-links/${crypto.randomUUID()}`
const startAnother = ({ settings }: TestGateway) => startGateway({ settings, log: createRecordingLog() })

const redisUrl = inject('redisUrl')

describe.skipIf(redisUrl === null)('a gateway with REDIS_URL', () => {
  const gateway = startTestGateway({ environment: { ...limited, REDIS_URL: redisUrl ?? '' } })

  it('shares rate limits with other instances only through Redis', async () => {
    const another = await startAnother(gateway)
    try {
      const admitted = await countAdmitted([gateway.url, another.url], linkPath(), 70)
      expect(admitted).toBeLessThanOrEqual(40)
      expect(admitted).toBeGreaterThanOrEqual(38)
      expect(await gateway.database.sql`select 1 from rate_limits`).toHaveLength(0)
    } finally {
      await another.close()
    }
  })

  it('releases the uses that it holds when it shuts down', async () => {
    const [path, another] = [linkPath(), await startAnother(gateway)]
    expect(await countAdmitted([another.url], path, 1)).toBe(1)
    await another.close()
    expect(await countAdmitted([gateway.url], path, 70)).toBe(39)
  })
})

describe('a gateway whose Redis is unavailable', () => {
  const gateway = startTestGateway({ environment: { ...limited, REDIS_URL: 'redis://127.0.0.1:1' } })

  it('starts, and counts requests in memory', async () => {
    expect(await countAdmitted([gateway.url], linkPath(), 70)).toBe(40)
    expect(gateway.log.lines.map(({ message }) => message)).toContain(
      'rate-limit store unavailable, using in-memory counters',
    )
  })
})
