import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

describe('packs.links.list', () => {
  const gateway = startTestGateway({ nativeLabels: ['packs.links.list'] })

  const start = async () => {
    const owner = await gateway.signUp({ plan: 'free' })
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    return { owner, packId, path: `/v1/packs/${packId}/links` }
  }

  it('returns an empty list', async () => {
    const { owner, path } = await start()
    const { status, headers, body } = await owner.get(path)
    expect([status, headers.get('x-service-core-runtime'), body]).toEqual([200, 'native', { records: [] }])
  })

  it("returns only this pack's links, newest first, with their statuses", async () => {
    const { owner, packId, path } = await start()
    const { sql } = gateway.database
    const past = new Date('2020-01-01T00:00:00Z')
    const active = await insertPackLink(sql, packId, { accessCode: 'open sesame', name: 'For the label' })
    const expired = await insertPackLink(sql, packId, { expiresAt: past, disableDownloads: true })
    const revoked = await insertPackLink(sql, packId, { expiresAt: past, revokedAt: past })
    for (const [age, { id }] of [revoked, expired, active].entries())
      await sql`update pack_links set created_at = now() - ${`${age} minutes`}::interval where id = ${id}`
    const { packId: otherPackId } = await insertPackOf(sql, owner.accountId)
    await insertPackLink(sql, otherPackId)

    const { body } = await owner.get(path)
    expect(body.records).toMatchObject([
      { id: revoked.id, status: 'revoked' },
      { id: expired.id, status: 'expired', downloadsEnabled: false, requiresAccessCode: false },
      { id: active.id, status: 'active', name: 'For the label', requiresAccessCode: true },
    ])
    expect(JSON.stringify(body)).not.toContain('scrypt')
  })

  it('returns every link of a long list', async () => {
    const { owner, packId, path } = await start()
    await gateway.database.sql`
      insert into pack_links (id, pack_id, slug)
      select gen_random_uuid(), ${packId}, gen_random_uuid() from generate_series(1, 2100)`
    const { records } = (await owner.get(path)).body
    expect(new Set(records.map(({ id }: { id: string }) => id)).size).toBe(2100)
  })

  it("returns 404 for another account's pack", async () => {
    const { path } = await start()
    const { status, body } = await (await gateway.signUp()).get(path)
    expect([status, body]).toEqual([404, errorBody('pack_not_found')])
  })
})
