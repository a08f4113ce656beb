import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const yesterday = new Date(Date.now() - 86_400_000)

/** How often what a client of PostgreSQL sends asks for something; its first message has no type. */
const countBinds = (sent: string) => {
  const bytes = Buffer.from(sent, 'latin1')
  let binds = 0
  if (bytes[0] === 0) return binds
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1))
    if (bytes[at] === 0x42) binds++
  return binds
}

describe('a link that opens nothing', () => {
  const gateway = startTestGateway({ throughRelay: true })

  const statementsOf = async (path: string) => {
    const statements: string[] = []
    gateway.relay.onStatement = (_, sent) => {
      for (let n = countBinds(sent); n > 0; n--) statements.push(sent)
      return null
    }
    expect((await gateway.request('GET', path)).status).toBe(404)
    gateway.relay.onStatement = () => null
    return statements.length
  }

  it('takes two statements, one to count the visitor and one to look, whatever the reason', async () => {
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
    for (const path of paths) expect(await statementsOf(path), path).toBe(2)
  })

  it('is looked for by an index', async () => {
    const { sql } = gateway.database
    const indexes = await sql`
      select tablename, indexdef from pg_indexes where indexdef like 'CREATE UNIQUE%'
      and (indexdef like '%(token_hash)' or indexdef like '%(slug)')`
    expect(indexes.map(({ tablename }) => tablename).sort()).toEqual([
      'pack_links',
      'split_sheet_links',
      'track_share_links',
    ])
  })
})
