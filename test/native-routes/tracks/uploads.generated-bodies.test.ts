import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  audioContentTypes,
  documentContentTypes,
  imageContentTypes,
  UploadIntent,
} from '#contracts/shared/uploads.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { awkward, documentedRefusal, mostly, rawBodies } from '#test/support/generated-bodies.ts'

const bodiesARoute = 500

const file = (contentTypes: readonly string[]) => ({
  fileName: mostly(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((name) => name.replace(/[/\\]/g, '_')),
  ),
  contentType: mostly(fc.constantFrom(...contentTypes)),
  byteSize: mostly(fc.integer({ min: 1, max: 20_000_000 })),
  unknown: awkward,
})

const intents = [
  ['versions', fc.record(file(audioContentTypes), { requiredKeys: ['fileName', 'contentType', 'byteSize'] })],
  ['artwork', fc.record(file(imageContentTypes), { requiredKeys: ['fileName', 'contentType', 'byteSize'] })],
  [
    'documents',
    fc.record(
      {
        ...file(documentContentTypes),
        title: mostly(
          fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.constant(null)),
        ),
        documentType: mostly(fc.constantFrom('contract', 'license', 'other')),
      },
      { requiredKeys: ['fileName', 'contentType', 'byteSize'] },
    ),
  ],
] as const

describe('a body that nobody thought of', () => {
  const gateway = startTestGateway({ core: 'sandbox' })

  it.each(intents)(
    'gets a documented answer from tracks.%s.upload',
    async (kind, body) => {
      const { accountId, token } = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, accountId)
      const seen = { announced: 0, refused: 0 }
      await fc.assert(
        fc.asyncProperty(rawBodies(body), async (sent) => {
          const answer = await gateway.request('POST', `/v1/tracks/${trackId}/${kind}/uploads`, {
            token,
            body: sent,
          })
          if (answer.status === 201) {
            expect(UploadIntent.parse(answer.body)).toEqual(answer.body)
            seen.announced += 1
          } else {
            expect(['validation_error', 'invalid_json']).toContain(
              documentedRefusal(answer.status, answer.body),
            )
            seen.refused += 1
          }
        }),
        { numRuns: bodiesARoute },
      )
      const [stored] = await gateway.database
        .sql`select count(*)::int from uploads where track_id = ${trackId}`
      expect(stored?.count).toBe(seen.announced)
      // A generator whose bodies are all refused, or all taken, would show nothing.
      expect(seen.announced).toBeGreaterThan(20)
      expect(seen.refused).toBeGreaterThan(20)
    },
    120_000,
  )

  it.each([
    ['POST', (trackId: string) => `/v1/tracks/${trackId}/uploads/unknown/finalize`, 'upload_not_found'],
    ['POST', (trackId: string) => `/v1/tracks/${trackId}/versions/unknown/promote`, 'version_not_found'],
    ['DELETE', (trackId: string) => `/v1/tracks/${trackId}/versions/unknown`, 'version_not_found'],
    [
      'POST',
      (trackId: string) => `/v1/tracks/${trackId}/processing/media-intelligence/retry`,
      'media_intelligence_unavailable',
    ],
  ])('is not even read where a route takes none: %s', async (method, pathOf, refusal) => {
    const { accountId, token } = await gateway.signUp()
    const path = pathOf(await insertTrackOf(gateway.database.sql, accountId))
    await fc.assert(
      fc.asyncProperty(rawBodies(awkward), async (sent) => {
        const answer = await gateway.request(method, path, { token, body: sent })
        expect(documentedRefusal(answer.status, answer.body)).toBe(refusal)
      }),
      { numRuns: 50 },
    )
  })
})
