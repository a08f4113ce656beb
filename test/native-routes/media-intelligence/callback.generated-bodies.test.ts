import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callback } from '#contracts/media-intelligence.ts'
import { analysisSecret, sign } from '#test/support/analysis-service.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { awkward, documentedError, mostly, rawBodies } from '#test/support/generated-bodies.ts'
import { thoroughly } from '#test/support/thoroughly.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const bodies = thoroughly(500)

const text = mostly(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }))
const few = <T>(item: fc.Arbitrary<T>) => mostly(fc.array(item, { maxLength: 3 }))
const tag = fc.record(
  {
    category: mostly(fc.constantFrom('bpm', 'mood', 'genre')),
    value: text,
    label: text,
    numericValue: mostly(fc.oneof(fc.double(), fc.constant(null))),
    confidence: mostly(fc.double({ min: 0, max: 1, noNaN: true })),
  },
  { requiredKeys: ['category', 'value'] },
)
const stem = fc.record(
  {
    kind: mostly(fc.constantFrom('vocals', 'drums')),
    url: mostly(fc.constant('http://127.0.0.1:9/stem')),
    contentType: mostly(fc.constant('audio/wav')),
    durationMs: mostly(fc.nat()),
  },
  { requiredKeys: ['kind', 'url', 'contentType'] },
)
const results = fc.record(
  {
    tags: few(tag),
    lyrics: mostly(fc.record({ text, language: mostly(fc.constantFrom('en', null)) })),
    stems: few(stem),
    embeddings: few(fc.double()),
  },
  { requiredKeys: [] },
)

describe('media-intelligence.callback with generated bodies', () => {
  const gateway = startTestGateway({
    environment: { MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9', MEDIA_INTELLIGENCE_SECRET: analysisSecret },
  })

  it('returns a documented response for every signed body', { timeout: 60_000 }, async () => {
    const { sql } = gateway.database
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(sql, account.accountId)
    await insertVersion(sql, trackId)
    const { dispatchId } = (await account.post(`/v1/tracks/${trackId}/processing/media-intelligence/retry`))
      .body
    const body = fc.record(
      {
        callbackId: mostly(fc.uuid()),
        dispatchId: mostly(fc.constant(dispatchId)),
        status: mostly(fc.constantFrom('succeeded', 'failed')),
        results: mostly(results),
        error: mostly(fc.record({ code: text, message: text })),
        unknown: awkward,
      },
      { requiredKeys: ['callbackId', 'dispatchId', 'status'] },
    )
    const seen: Record<string, number> = {}

    await fc.assert(
      fc.asyncProperty(rawBodies(body), async (sent) => {
        // Reset before each request, so that each callback finds an unfinished dispatch.
        await sql`update media_dispatches set status = 'dispatched' where id = ${dispatchId}`
        const response = await gateway.request('POST', '/v1/media-intelligence/callback', {
          body: sent,
          headers: { 'media-intelligence-signature': sign(sent) },
        })
        const outcome =
          response.status === 200
            ? callback.responses[200].parse(response.body).status
            : documentedError(response.status, response.body)
        seen[outcome] = (seen[outcome] ?? 0) + 1
        expect([
          'applied',
          'duplicate',
          'invalid_json',
          'validation_error',
          'media_dispatch_not_found',
        ]).toContain(outcome)
      }),
      { numRuns: bodies },
    )
    // A fraction of the cases, because a default run tries only a quarter of them.
    expect(seen.applied).toBeGreaterThanOrEqual(bodies / 25)
    expect(seen.validation_error).toBeGreaterThanOrEqual(bodies / 25)
  })
})
