import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const nativeLabels = ['packs.list', 'packs.create', 'packs.detail', 'packs.update', 'packs.remove'] as const

describe('packs.create, packs.list, packs.detail, packs.update and packs.remove', () => {
  const gateway = startTestGateway({ nativeLabels })
  const createPack = async (owner: TestAccount, name = 'Harbour EP') =>
    (await owner.post('/v1/packs', { name })).body

  const notFound = [404, errorBody('pack_not_found')]

  it('create an empty pack, and return it with its address', async () => {
    const alice = await gateway.signUp()
    const response = await alice.post('/v1/packs', { name: ' Harbour EP ', ownerId: 'acct_other' })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-service-core-runtime')).toBe('native')
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[\w-]{36}$/),
      name: 'Harbour EP',
      description: null,
      trackCount: 0,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: response.body.createdAt,
    })
    expect(response.headers.get('location')).toBe(`/v1/packs/${response.body.id}`)
    expect((await alice.get(`/v1/packs/${response.body.id}`)).body).toEqual(response.body)
  })

  it('accept an empty description and one with line feeds', async () => {
    const alice = await gateway.signUp()
    for (const description of ['Rough\nmixes', '']) {
      const { body } = await alice.post('/v1/packs', { name: 'Harbour EP', description })
      expect(body.description).toBe(description)
    }
  })

  it('let an account have several packs with the same name', async () => {
    const alice = await gateway.signUp()
    await createPack(alice)
    expect((await alice.post('/v1/packs', { name: 'Harbour EP' })).status).toBe(201)
  })

  it.each([
    ['name', {}],
    ['name', { name: '  ' }],
    ['name', { name: 'x'.repeat(121) }],
    ['description', { name: 'Harbour EP', description: 'x'.repeat(2001) }],
  ])('reject an invalid %s at creation', async (path, body) => {
    const alice = await gateway.signUp()
    const response = await alice.post('/v1/packs', body)
    expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    expect(response.body.issues[0].path).toBe(path)
    expect((await alice.get('/v1/packs')).body).toEqual({ records: [] })
  })

  it("list the account's packs with their track counts, newest first", async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    await createPack(bob)
    const { packId: older } = await insertPackOf(gateway.database.sql, alice.accountId, 2)
    const { id: newer } = await createPack(alice)
    const { body } = await alice.get('/v1/packs')
    expect(
      body.records.map(({ id, trackCount }: { id: string; trackCount: number }) => [id, trackCount]),
    ).toEqual([
      [newer, 0],
      [older, 2],
    ])
    expect(Object.keys(body.records[0])).not.toContain('ownerId')
    expect((await alice.get(`/v1/packs/${older}`)).body).toEqual(body.records[1])
  })

  it('change the given fields, clear the description if it is null, and keep the other fields', async () => {
    const alice = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, alice.accountId, 1)
    const path = `/v1/packs/${packId}`
    const before = (await alice.get(path)).body
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { status, body } = await alice.patch(path, { description: 'Rough mixes', colour: 'blue' })
    expect([status, body]).toEqual([
      200,
      { ...before, description: 'Rough mixes', updatedAt: expect.any(String) },
    ])
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    const cleared = await alice.patch(path, { name: ' Low Tide ', description: null })
    expect(cleared.body).toMatchObject({ name: 'Low Tide', description: null, trackCount: 1 })
    expect((await alice.get(path)).body).toEqual(cleared.body)
  })

  it.each([{}, { colour: 'blue' }, { name: null }, { name: '' }, { description: 7 }])(
    'reject the change %j',
    async (change) => {
      const alice = await gateway.signUp()
      const pack = await createPack(alice)
      const { status, body } = await alice.patch(`/v1/packs/${pack.id}`, change)
      expect([status, body.error]).toEqual([400, 'validation_error'])
      expect((await alice.get(`/v1/packs/${pack.id}`)).body).toEqual(pack)
    },
  )

  it('remove the pack with its links, but keep its tracks', async () => {
    const alice = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, alice.accountId, 2)
    const { slug } = await insertPackLink(sql, packId)
    const response = await alice.delete(`/v1/packs/${packId}`)
    expect([response.status, response.body]).toEqual([204, ''])
    const again = await alice.delete(`/v1/packs/${packId}`)
    expect([again.status, again.body]).toEqual(notFound)
    const page = await gateway.request('GET', `/v1/public/pack-links/${slug}`)
    expect(page.body).toEqual(errorBody('pack_link_not_found'))
    expect(await sql`select from tracks where id in ${sql(trackIds)}`).toHaveLength(2)
  })

  it('return 404 to all but one of several concurrent removals', async () => {
    const alice = await gateway.signUp()
    const { id } = await createPack(alice)
    const responses = await Promise.all([1, 2, 3, 4].map(() => alice.delete(`/v1/packs/${id}`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404])
  })

  it("return 404 for another account's pack and for a malformed id, even with an invalid body", async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const pack = await createPack(alice)
    for (const id of [pack.id, crypto.randomUUID(), 'no%20id'])
      for (const response of [
        await bob.get(`/v1/packs/${id}`),
        await bob.patch(`/v1/packs/${id}`, '{"broken'),
        await bob.delete(`/v1/packs/${id}`),
      ])
        expect([response.status, response.body]).toEqual(notFound)
    expect((await alice.get(`/v1/packs/${pack.id}`)).body).toEqual(pack)
  })

  it.each([
    ['GET', '/v1/packs'],
    ['POST', '/v1/packs'],
    ['GET', '/v1/packs/any'],
    ['PATCH', '/v1/packs/any'],
    ['DELETE', '/v1/packs/any'],
  ])('return 401 to %s %s without a token', async (method, path) => {
    const response = await gateway.request(method, path)
    expect([response.status, response.body]).toEqual([401, errorBody('unauthorized')])
  })
})
