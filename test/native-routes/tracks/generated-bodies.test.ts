import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorTable } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { listErrorCodes } from '#gateway/openapi/route-errors.ts'
import { countCases } from '#test/support/count-cases.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { edgeCaseValues, rawBodies, requireDocumentedError } from '#test/support/generated-bodies.ts'
import { trackBodies } from '#test/support/track-bodies.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'
import { putFile } from '#test/support/uploads.ts'

const bodiesPerRoute = countCases(500)

const writingRoutes = labels.filter((label) => {
  const { runtime, effects } = rowOf(label)
  return label.startsWith('tracks.') && runtime === 'native' && /^(?:write|external)$/.test(effects)
})

describe('track routes with generated bodies', () => {
  const analysis = {
    MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
    MEDIA_INTELLIGENCE_SECRET: 'a-secret-of-tests',
  }
  const gateway = startTestGateway({ core: 'sandbox', storage: true, environment: analysis })

  const makeTrack = async (account: TestAccount) => {
    const { sql } = gateway.database
    const trackId = await insertTrackOf(sql, account.accountId)
    const { uploadId } = await putFile(account, trackId)
    await insertVersion(sql, trackId)
    const { id: versionId } = await insertVersion(sql, trackId)
    const { id: linkId } = (await account.post(`/v1/tracks/${trackId}/share-links`)).body
    return { trackId, uploadId, versionId, linkId }
  }

  // Every write of a row changes its xmin, even if the values stay the same.
  const rowsOf = async (trackId: string) =>
    (
      await gateway.database.sql`
        select id, xmin::text from tracks where id = ${trackId}
        union all select track_id, xmin::text from track_lyrics where track_id = ${trackId}
        union all select track_id, xmin::text from split_sheets where track_id = ${trackId}
        union all select id, xmin::text from uploads where track_id = ${trackId}
        union all select id, xmin::text from track_versions where track_id = ${trackId}
        union all select id, xmin::text from track_share_links where track_id = ${trackId}`
    ).map(({ id, xmin }) => `${id} ${xmin}`)

  it.each(writingRoutes)(
    '%s returns a documented response, and a rejected body changes nothing',
    async (label) => {
      const contract: Contract = contracts[label]
      const { method } = rowOf(label)
      const account = await gateway.signUp()
      const params: Record<string, string> = await makeTrack(account)
      const address = fillPathWith(label, (name) => params[name] ?? '')
      const bodies = contract.body
        ? rawBodies(trackBodies[label] ?? fc.constant(undefined))
        : rawBodies(edgeCaseValues)
      // With a valid token and a reachable database and store, only client errors are expected.
      const expectedErrors = listErrorCodes(label).filter((code) =>
        errorTable[code][0].every((status) => status < 500),
      )
      const seen = new Map<number, number>()
      let before = await rowsOf(params.trackId ?? '')
      let lastAccepted: unknown = null

      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const { status, body: response } = await gateway.request(method, address, {
            token: account.token,
            body,
          })
          seen.set(status, (seen.get(status) ?? 0) + 1)
          const after = await rowsOf(params.trackId ?? '')
          const schema = contract.responses[status]
          if (schema !== undefined) {
            if (schema) expect(schema.parse(response)).toEqual(response)
            lastAccepted = response
            before = after
          } else {
            expect(expectedErrors).toContain(requireDocumentedError(status, response))
            expect(after).toEqual(before)
          }
        }),
        { numRuns: bodiesPerRoute },
      )
      if (!contract.body) return
      // A generator whose bodies are all rejected or all accepted would test nothing.
      const accepted = Object.keys(contract.responses).reduce(
        (sum, status) => sum + (seen.get(Number(status)) ?? 0),
        0,
      )
      expect(accepted).toBeGreaterThanOrEqual(bodiesPerRoute / 25)
      expect(seen.get(400)).toBeGreaterThanOrEqual(bodiesPerRoute / 25)
      if (method === 'POST') return
      const resource = label === 'tracks.metadata.update' ? `/v1/tracks/${params.trackId}` : address
      expect((await account.get(resource)).body).toEqual(lastAccepted)
    },
    120_000,
  )
})
