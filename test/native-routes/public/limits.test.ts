import { describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'

describe('the rate limit on public reads', () => {
  // An instance reserves up to a twentieth of the limit in advance: here, two uses.
  const gateway = startTestGateway({ environment: { RATE_LIMIT_PUBLIC_READS: '40/60' } })

  const countAllowed = async (origins: readonly string[], count: number) => {
    const path = `/v1/public/track-links/${crypto.randomUUID()}`
    const responses = await Promise.all(
      Array.from({ length: count }, (_, n) => requestAt(origins[n % origins.length]!, 'GET', path)),
    )
    const countOf = (wanted: number) => responses.filter(({ status }) => status === wanted).length
    expect(countOf(404) + countOf(429)).toBe(count)
    return countOf(404)
  }

  it('admits exactly the limit in concurrent requests to one instance', async () => {
    expect(await countAllowed([gateway.url], 70)).toBe(40)
  })

  it('counts each link separately, even if one statement counts several links', async () => {
    const counts = await Promise.all([50, 45, 30].map((requested) => countAllowed([gateway.url], requested)))
    expect(counts).toEqual([40, 40, 30])
  })

  it('admits the limit across two instances, minus at most the uses they hold in advance', async () => {
    const another = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    try {
      const allowed = await countAllowed([gateway.url, another.url], 70)
      expect(allowed).toBeLessThanOrEqual(40)
      expect(allowed).toBeGreaterThanOrEqual(38)
    } finally {
      await another.close()
    }
  })

  it('reserves one use for the request, and a twentieth of the limit in advance', async () => {
    const { sql } = gateway.database
    const keys = async () =>
      (await sql`select key, used from rate_limits`).map(({ key, used }) => `${key} ${used}`)
    const known = new Set(await keys())
    expect(await countAllowed([gateway.url], 1)).toBe(1)
    const fresh = (await keys()).filter((key) => !known.has(key))
    expect(fresh).toEqual([expect.stringMatching(/ 3$/)])
  })
})
