import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callback } from '#contracts/media-intelligence.ts'
import { analysisSecret, signAnalysisCallback } from '#test/support/analysis-service.ts'
import { countCases } from '#test/support/count-cases.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import {
  edgeCaseValues,
  mostlyValid,
  rawBodies,
  requireDocumentedError,
} from '#test/support/generated-bodies.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const bodies = countCases(500)

const text = mostlyValid(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }))
const few = <T>(item: fc.Arbitrary<T>) => mostlyValid(fc.array(item, { maxLength: 3 }))
const tag = fc.record(
  {
    category: mostlyValid(fc.constantFrom('bpm', 'mood', 'genre')),
    value: text,
    label: text,
    numericValue: mostlyValid(fc.oneof(fc.double(), fc.constant(null))),
    confidence: mostlyValid(fc.double({ min: 0, max: 1, noNaN: true })),
  },
  { requiredKeys: ['category', 'value'] },
)
const stem = fc.record(
  {
    kind: mostlyValid(fc.constantFrom('vocals', 'drums')),
    url: mostlyValid(fc.constant('http://127.0.0.1:9/stem')),
    contentType: mostlyValid(fc.constant('audio/wav')),
    durationMs: mostlyValid(fc.nat()),
  },
  { requiredKeys: ['kind', 'url', 'contentType'] },
)
const results = fc.record(
  {
    tags: few(tag),
    lyrics: mostlyValid(fc.record({ text, language: mostlyValid(fc.constantFrom('en', null)) })),
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
        callbackId: mostlyValid(fc.uuid()),
        dispatchId: mostlyValid(fc.constant(dispatchId)),
        status: mostlyValid(fc.constantFrom('succeeded', 'failed')),
        results: mostlyValid(results),
        error: mostlyValid(fc.record({ code: text, message: text })),
        unknown: edgeCaseValues,
      },
      { requiredKeys: ['callbackId', 'dispatchId', 'status'] },
    )
    const seen: Record<string, number> = {}

    await fc.assert(
      fc.asyncProperty(rawBodies(body), async (sent) => {
        // Reset before each request, so each callback finds an unfinished dispatch.
        await sql`update media_dispatches set status = 'dispatched' where id = ${dispatchId}`
        const response = await gateway.request('POST', '/v1/media-intelligence/callback', {
          body: sent,
          headers: { 'media-intelligence-signature': signAnalysisCallback(sent) },
        })
        const outcome =
          response.status === 200
            ? callback.responses[200].parse(response.body).status
            : requireDocumentedError(response.status, response.body)
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
    // In proportion to the number of bodies, because a default run sends only a tenth of them.
    expect(seen.applied).toBeGreaterThanOrEqual(bodies / 25)
    expect(seen.validation_error).toBeGreaterThanOrEqual(bodies / 25)
  })
})
