import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const yesterday = new Date(Date.now() - 86_400_000)

/** Counts the Bind messages that a PostgreSQL client sent. Its startup message, which has no type, contains none. */
const countBinds = (sent: string) => {
  const bytes = Buffer.from(sent, 'latin1')
  let binds = 0
  if (bytes[0] === 0) return binds
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1))
    if (bytes[at] === 0x42) binds++
  return binds
}

describe('looking up a share link', () => {
  const gateway = startTestGateway({ throughRelay: true })

  const captureStatements = async (path: string, status: number) => {
    const sent: string[] = []
    gateway.relay.onStatement = (_, bytes) => {
      sent.push(bytes)
      return null
    }
    // A HEAD request records no engagement event, so the count includes no statement that writes one.
    expect((await gateway.request(status === 200 ? 'HEAD' : 'GET', path)).status).toBe(status)
    gateway.relay.onStatement = () => null
    return sent
  }
  const countStatements = async (path: string, status: number) =>
    (await captureStatements(path, status)).reduce((sum, sent) => sum + countBinds(sent), 0)

  it('takes one statement, which uses an index', async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const { token } = (await owner.post(`/v1/tracks/${trackIds[0]}/share-links`)).body
    const { slug } = await insertPackLink(sql, packId)
    await sql`
      insert into track_share_links (id, track_id, token_hash, token_preview)
      select 'many-' || n, ${trackIds[0]!}, encode(sha256(n::text::bytea), 'hex'), 'x' from generate_series(1, 3000) n`
    await sql`
      insert into split_sheet_links (id, track_id, token_hash, token_preview)
      select 'many-' || n, ${trackIds[0]!}, encode(sha256(n::text::bytea), 'hex'), 'x' from generate_series(1, 3000) n`
    await sql`insert into pack_links (id, pack_id, slug) select 'many-' || n, ${packId}, 'many-' || n from generate_series(1, 3000) n`
    await sql`analyze`
    const lookups = [
      [`/v1/public/track-links/${token}`, 200, 'track_share_links_token_hash'],
      ['/v1/public/split-sheets/unknown', 404, 'split_sheet_links_token_hash'],
      [`/v1/public/pack-links/${slug}`, 200, 'pack_links_slug'],
    ] as const
    for (const [path, status, index] of lookups) {
      const sent = (await captureStatements(path, status)).join('')
      const [lookup, ...others] = sent.match(/select [^\0]+"(?:token_hash|slug)" = \$1[^\0]*/g) ?? []
      expect(others).toEqual([])
      const plan = await sql.unsafe(`explain ${lookup!.replace('$1', "'a'")}`)
      const lines = plan.map((row) => String(row['QUERY PLAN'])).join('\n')
      expect(lines).toMatch(new RegExp(`Index Scan using \\w*${index}\\w* on`))
      expect(lines).not.toMatch(/Seq Scan on (track_share_links|split_sheet_links|pack_links)/)
    }
    // The reads above reserved rate limit tokens for these. A pack link also loads the pack and its tracks.
    expect(await countStatements(`/v1/public/track-links/${token}`, 200)).toBe(1)
    expect(await countStatements(`/v1/public/pack-links/${slug}`, 200)).toBe(3)
  })
})

describe('looking up an inactive share link', () => {
  const gateway = startTestGateway({ throughRelay: true })

  const countStatements = async (path: string) => {
    let statements = 0
    gateway.relay.onStatement = (_, sent) => {
      statements += countBinds(sent)
      return null
    }
    expect((await gateway.request('GET', path)).status).toBe(404)
    gateway.relay.onStatement = () => null
    return statements
  }

  it('takes a statement for the rate limit and one for the lookup, however it became inactive', async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const links = `/v1/tracks/${trackIds[0]}/share-links`
    const [revoked, expired] = [(await owner.post(links)).body, (await owner.post(links)).body]
    await owner.delete(`${links}/${revoked.id}`)
    await sql`update track_share_links set expires_at = ${yesterday} where id = ${expired.id}`
    const pack = async (link: object) => (await insertPackLink(sql, packId, link)).slug
    const paths = [
      ...[revoked.token, expired.token, 'A'.repeat(43), 'x'].map(
        (token) => `/v1/public/track-links/${token}`,
      ),
      ...[await pack({ revokedAt: yesterday }), await pack({ expiresAt: yesterday }), 'unknown'].map(
        (slug) => `/v1/public/pack-links/${slug}`,
      ),
      '/v1/public/split-sheets/unknown',
    ]
    for (const path of paths) expect(await countStatements(path), path).toBe(2)
  })
})
