import { describe, expect, it } from 'vitest'
import { startGateway } from '#gateway/node/start-gateway.ts'
import { requestAt, startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

describe('the reads of one link by one client', () => {
  // A twentieth of it, two, is counted at once.
  const gateway = startTestGateway({ environment: { RATE_LIMIT_PUBLIC_READS: '40/60' } })

  const responded = async (origins: readonly string[], count: number) => {
    const path = `/v1/public/track-links/${crypto.randomUUID()}`
    const responses = await Promise.all(
      Array.from({ length: count }, (_, n) => requestAt(origins[n % origins.length]!, 'GET', path)),
    )
    const countOf = (wanted: number) => responses.filter(({ status }) => status === wanted).length
    expect(countOf(404) + countOf(429)).toBe(count)
    return countOf(404)
  }

  it('are as many as allowed by one instance, however many come at once', async () => {
    expect(await responded([gateway.url], 70)).toBe(40)
  })

  it('are counted for each link by itself, however many are counted by one statement', async () => {
    const counts = await Promise.all([50, 45, 30].map((asked) => responded([gateway.url], asked)))
    expect(counts).toEqual([40, 40, 30])
  })

  it('are never more than allowed by two, and hardly fewer', async () => {
    const another = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    try {
      const allowed = await responded([gateway.url, another.url], 70)
      expect(allowed).toBeLessThanOrEqual(40)
      expect(allowed).toBeGreaterThanOrEqual(38)
    } finally {
      await another.close()
    }
  })

  it('are counted two at a time', async () => {
    const { sql } = gateway.database
    const keys = async () =>
      (await sql`select key, used from rate_limits`).map(({ key, used }) => `${key} ${used}`)
    const known = new Set(await keys())
    expect(await responded([gateway.url], 1)).toBe(1)
    const fresh = (await keys()).filter((key) => !known.has(key))
    expect(fresh).toEqual([expect.stringMatching(/ 2$/)])
  })
})
