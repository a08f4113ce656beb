import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

describe('packs.links.revoke', () => {
  const gateway = startTestGateway({ nativeLabels: ['packs.links.revoke'] })

  const start = async () => {
    const owner = await gateway.signUp({ plan: 'free' })
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const link = await insertPackLink(gateway.database.sql, packId)
    const pathOf = (linkId: string) => `/v1/packs/${packId}/links/${linkId}`
    return { owner, packId, link, pathOf, path: pathOf(link.id) }
  }
  const open = async (slug: string) => (await gateway.request('GET', `/v1/public/pack-links/${slug}`)).status
  const findTimes = (id: string) =>
    gateway.database.sql`select revoked_at, updated_at from pack_links where id = ${id}`

  it('makes the link unusable immediately', async () => {
    const { owner, link, path } = await start()
    expect(await open(link.slug)).toBe(200)
    const { status, headers } = await owner.delete(path)
    expect([status, headers.get('x-service-core-runtime')]).toEqual([204, 'native'])
    expect(await open(link.slug)).toBe(404)
  })

  it('returns 204 for an already revoked link without changing it', async () => {
    const { owner, link, path } = await start()
    await owner.delete(path)
    const before = await findTimes(link.id)
    expect((await owner.delete(path)).status).toBe(204)
    expect(await findTimes(link.id)).toEqual(before)
  })

  it("returns 404 for an unknown link, a malformed id and another pack's link", async () => {
    const { owner, pathOf } = await start()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const { id, slug } = await insertPackLink(gateway.database.sql, packId)
    for (const unknown of [id, crypto.randomUUID(), 'no%20id']) {
      const { status, body } = await owner.delete(pathOf(unknown))
      expect([status, body]).toEqual([404, errorBody('pack_link_not_found')])
    }
    expect(await open(slug)).toBe(200)
  })

  it("returns 404 for another account's pack", async () => {
    const { path, link } = await start()
    const { status, body } = await (await gateway.signUp()).delete(path)
    expect([status, body]).toEqual([404, errorBody('pack_not_found')])
    expect(await open(link.slug)).toBe(200)
  })
})
