import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replace as replaceLyrics } from '#contracts/tracks.lyrics.ts'
import { update as updateMetadata } from '#contracts/tracks.metadata.ts'
import { replace as replaceSplitSheet } from '#contracts/tracks.split-sheet.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { awkward, documentedRefusal, mostly, rawBodies } from '#test/support/generated-bodies.ts'

const bodiesARoute = 500

const percentage = mostly(
  fc.oneof(fc.constantFrom(100, 50, 25, 33.33, 0, 50.01), fc.double({ min: 0, max: 100, noNaN: true })),
)
const collaboratorId = mostly(fc.constantFrom('ann', 'bea', 'cat', 'Renée 🎹'))
const territory = mostly(fc.constantFrom('WORLD', 'DE', 'GB'))
const text = mostly(fc.string({ unit: 'grapheme', maxLength: 40 }))
const few = <T>(item: fc.Arbitrary<T>) => mostly(fc.array(item, { minLength: 1, maxLength: 3 }))

const share = { collaboratorId, percentage }
const whole = fc.constant([{ collaboratorId: 'ann', percentage: 100 }])
const entries = fc.oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: few(fc.record(share)) })
const collectionSplits = few(
  fc.record(
    { right: mostly(fc.constantFrom('sync', 'print', 'mechanical')), percentage, territory },
    { requiredKeys: ['right', 'percentage'] },
  ),
)
const subPublishers = few(
  fc.record(
    { ...share, territories: few(territory), collectionSplits },
    { requiredKeys: ['collaboratorId', 'percentage', 'territories'] },
  ),
)
const publishers = few(
  fc.record(
    {
      ...share,
      writerCollaboratorId: fc.oneof(collaboratorId, fc.constant(null)),
      role: mostly(fc.constantFrom('original_publisher', 'administrator', 'co_publisher')),
      territory,
      subPublishers,
      collectionSplits,
    },
    { requiredKeys: ['collaboratorId', 'percentage'] },
  ),
)

const line = fc.record(
  { startMs: mostly(fc.nat()), endMs: mostly(fc.nat()), text },
  { requiredKeys: ['startMs', 'text'] },
)

const routes = [
  {
    contract: updateMetadata,
    method: 'PATCH',
    resource: 'metadata',
    body: fc.record(
      {
        title: text,
        artist: text,
        isrc: mostly(fc.constantFrom('GB-AYE-68-00023', 'gbaye6800023', null)),
        iswc: mostly(fc.constantFrom('T-034.524.680-1', null)),
        releaseDate: mostly(fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31', '2023-02-29', null)),
        unknown: awkward,
      },
      { requiredKeys: [] },
    ),
  },
  {
    contract: replaceLyrics,
    method: 'PUT',
    resource: 'lyrics',
    body: fc.record(
      {
        text,
        language: mostly(fc.constantFrom('en', 'pt-BR', 'zh-Hant-TW', null)),
        lines: mostly(
          fc
            .array(line, { maxLength: 5 })
            .map((lines) => lines.sort((a, b) => Number(a.startMs) - Number(b.startMs))),
        ),
      },
      { requiredKeys: [] },
    ),
  },
  {
    contract: replaceSplitSheet,
    method: 'PUT',
    resource: 'split-sheet',
    body: fc.record(
      {
        address: text,
        intendedUse: text,
        master: entries,
        writers: entries,
        publishers: fc.oneof(whole, publishers),
      },
      { requiredKeys: ['master', 'writers'] },
    ),
  },
] as const

describe('a body that nobody thought of', () => {
  const gateway = startTestGateway({ core: 'sandbox' })

  it.each(routes)(
    'gets a documented answer from $contract.label, and what is refused changes nothing',
    async ({ contract, method, resource, body }) => {
      const { accountId, token } = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, accountId)
      const path = `/v1/tracks/${trackId}/${resource}`
      const stored = async () =>
        (await gateway.request('GET', resource === 'metadata' ? `/v1/tracks/${trackId}` : path, { token }))
          .body
      const refusals = new Set<string>([
        'validation_error',
        'invalid_json',
        ...('errors' in contract ? contract.errors : []),
      ])
      const seen = new Map<number, number>()
      let before = await stored()

      await fc.assert(
        fc.asyncProperty(rawBodies(body), async (sent) => {
          const answer = await gateway.request(method, path, { token, body: sent })
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          if (answer.status === 200) {
            expect(contract.responses[200].parse(answer.body)).toEqual(answer.body)
            before = answer.body
          } else {
            expect(refusals).toContain(documentedRefusal(answer.status, answer.body))
          }
          expect(await stored()).toEqual(before)
        }),
        { numRuns: bodiesARoute },
      )
      // A generator whose bodies are all refused, or all taken, would show nothing.
      expect(seen.get(200)).toBeGreaterThan(20)
      expect(seen.get(400)).toBeGreaterThan(20)
    },
    120_000,
  )
})
