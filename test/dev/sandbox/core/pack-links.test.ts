import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makePack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const createPack = async () => {
  const alice = await core.signIn()
  const { packId } = await makePack(alice)
  return { alice, packId, links: `/v1/packs/${packId}/links` }
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe('packs.links.create', () => {
  it('creates a link with a random 128-bit slug', async () => {
    const { alice, packId, links } = await createPack()
    const { status, body } = await alice.post(links)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      packId,
      slug: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: null,
      status: 'active',
      requiresAccessCode: false,
      downloadsEnabled: true,
      expiresAt: null,
      createdAt: expect.stringMatching(timestamp),
      sharePath: `/share/packs/${body.slug}`,
    })
  })

  it('accepts a name, a slug, an access code, an expiry and disabled downloads', async () => {
    const { alice, links } = await createPack()
    const slug = `ep-${crypto.randomUUID()}`
    const { body } = await alice.post(links, {
      name: ' Press ',
      slug,
      accessCode: 'tide',
      expiresAt: '2999-01-01T02:00:00+02:00',
      disableDownloads: true,
    })
    expect(body).toMatchObject({
      name: 'Press',
      slug,
      requiresAccessCode: true,
      downloadsEnabled: false,
      expiresAt: '2999-01-01T00:00:00.000Z',
    })
  })

  it.each([
    [{ name: ' ' }, 'name'],
    [{ slug: 'ab' }, 'slug'],
    [{ slug: 'Upper-Case' }, 'slug'],
    [{ slug: 'x'.repeat(65) }, 'slug'],
    [{ accessCode: 'abc' }, 'accessCode'],
    [{ accessCode: 'x'.repeat(65) }, 'accessCode'],
    [{ accessCode: 1234 }, 'accessCode'],
    [{ expiresAt: '2999-01-01T00:00:00' }, 'expiresAt'],
    [{ expiresAt: '2999-02-30T00:00:00Z' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ expiresAt: '9999-12-31T23:59:59-12:00' }, 'expiresAt'],
    [{ disableDownloads: 'yes' }, 'disableDownloads'],
  ])('rejects the body %j', async (body, path) => {
    const { alice, links } = await createPack()
    expect(invalidPaths(await alice.post(links, body))).toEqual([path])
    expect((await alice.get(links)).body).toEqual({ records: [] })
  })
})

describe('packs.links.list', () => {
  it('lists links newest first, including revoked and expired ones', async () => {
    const { alice, links } = await createPack()
    const ids: string[] = []
    for (const body of [{}, { expiresAt: inAnHour() }, {}]) ids.push((await alice.post(links, body)).body.id)
    await alice.delete(`${links}/${ids[0]}`)
    await core.sql`update pack_links set expires_at = now() - interval '1 second' where id = ${ids[1]!}`
    const { records } = (await alice.get(links)).body
    expect(records.map((link: { id: string; status: string }) => [link.id, link.status])).toEqual([
      [ids[2], 'active'],
      [ids[1], 'expired'],
      [ids[0], 'revoked'],
    ])
  })
})

describe('packs.links.revoke', () => {
  it('revokes once and returns 204 for a repeated request', async () => {
    const { alice, links } = await createPack()
    const { body } = await alice.post(links)
    expect((await alice.delete(`${links}/${body.id}`)).status).toBe(204)
    const [first] = await core.sql`select revoked_at from pack_links where id = ${body.id}`
    expect((await alice.delete(`${links}/${body.id}`)).status).toBe(204)
    const [second] = await core.sql`select revoked_at from pack_links where id = ${body.id}`
    expect(second).toEqual(first)
  })

  it('returns 404 for a link of another pack', async () => {
    const [one, other] = [await createPack(), await createPack()]
    const { body } = await other.alice.post(other.links)
    const response = await one.alice.delete(`${one.links}/${body.id}`)
    expect([response.status, response.body]).toEqual([404, { error: 'pack_link_not_found' }])
  })
})
