import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

/** Lists the types of the messages that a PostgreSQL client sent, except for its startup message, which has none. */
const listMessageTypes = (sent: string) => {
  const bytes = Buffer.from(sent, 'latin1')
  const types: string[] = []
  if (bytes[0] === 0) return types
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1))
    types.push(String.fromCharCode(bytes[at]!))
  return types
}

describe('reading a track resource', () => {
  const gateway = startTestGateway({ throughRelay: true })

  /** Counts the statements that a request parses and runs once earlier requests have prepared them all. */
  const measureStatements = async (alice: TestAccount, path: string) => {
    // Concurrent requests prepare the statements on all of the pool's connections.
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 12 }, () => alice.get(path)))
    const types: string[] = []
    gateway.relay.onStatement = (_, sent) => {
      types.push(...listMessageTypes(sent))
      return null
    }
    const { status, body } = await alice.get(path)
    gateway.relay.onStatement = () => null
    expect(status).toBe(200)
    const count = (type: string) => types.filter((sent) => sent === type).length
    return { body, run: count('B') + count('Q'), parsed: count('P') }
  }

  const track = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}` }
  }

  // One prepared statement finds the owner's track, and the other finds the resource.
  const two = { run: 2, parsed: 0 }

  it('sends two prepared statements for 300 tags', async () => {
    const { alice, trackId, path } = await track()
    await gateway.database.sql`
      insert into track_tags (id, track_id, category, value, label, source)
      select gen_random_uuid(), ${trackId}, 'genre', n::text, 'Tag ' || n, 'ai' from generate_series(1, 300) n`
    const { body, ...statements } = await measureStatements(alice, `${path}/tags`)
    expect(body.tags).toHaveLength(300)
    expect(statements).toEqual(two)
  })

  it('sends two prepared statements for 2,000 lyric lines', async () => {
    const { alice, path } = await track()
    const lines = Array.from({ length: 2000 }, (_, index) => ({ startMs: index, text: `Line ${index}` }))
    expect((await alice.put(`${path}/lyrics`, { lines })).status).toBe(200)
    const { body, ...statements } = await measureStatements(alice, `${path}/lyrics`)
    expect(body.lines).toHaveLength(2000)
    expect(statements).toEqual(two)
  })

  it('sends two prepared statements for 1,000 versions', async () => {
    const { alice, trackId, path } = await track()
    const { sql } = gateway.database
    await insertVersion(sql, trackId)
    await sql`
      with added as (
        insert into track_versions (id, track_id, version_number, status)
        select gen_random_uuid(), ${trackId}, n, 'ready' from generate_series(2, 1000) n returning id)
      insert into media_assets (id, track_id, version_id, kind, file_name, content_type, storage_key)
      select id, ${trackId}, id, 'original', 'a.wav', 'audio/wav', id from added`
    const { body, ...statements } = await measureStatements(alice, `${path}/versions`)
    expect(body.versions).toHaveLength(1000)
    expect(statements).toEqual(two)
  })

  it.each(['peaks', 'stems', 'split-sheet'])('sends two prepared statements for %s', async (resource) => {
    const { alice, trackId, path } = await track()
    const { sql } = gateway.database
    const version = await insertVersion(sql, trackId)
    await sql`insert into track_peaks ${sql({
      version_id: version.id,
      track_id: trackId,
      asset_id: version.assetId,
      channels: 1,
      sample_rate: 44100,
      samples_per_pixel: 256,
      bits: 8,
      length: 1,
      data: Buffer.alloc(2),
      duration_ms: 6,
    })}`
    const { body: _, ...statements } = await measureStatements(alice, `${path}/${resource}`)
    expect(statements).toEqual(two)
  })
})
