import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const later = '2999-12-31T23:59:59.999Z'

describe('packs.links.create', () => {
  const gateway = startTestGateway({ nativeLabels: ['packs.links.create', 'packs.links.list'] })

  const start = async () => {
    const owner = await gateway.signUp({ plan: 'free' })
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const create = (body: unknown, account: TestAccount = owner) =>
      account.post(`/v1/packs/${packId}/links`, body)
    return { owner, packId, create }
  }
  const open = (slug: string, query = '') => gateway.request('GET', `/v1/public/pack-links/${slug}${query}`)

  it('returns a link with a slug that cannot be guessed', async () => {
    const { packId, create } = await start()
    const { status, headers, body } = await create({})
    expect([status, headers.get('x-service-core-runtime')]).toEqual([201, 'native'])
    expect(headers.get('location')).toBe(`/v1/packs/${packId}/links/${body.id}`)
    expect(body).toEqual({
      id: expect.any(String),
      packId,
      slug: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: null,
      status: 'active',
      requiresAccessCode: false,
      downloadsEnabled: true,
      expiresAt: null,
      createdAt: expect.stringMatching(/Z$/),
      sharePath: `/share/packs/${body.slug}`,
    })
    expect((await open(body.slug)).status).toBe(200)
  })

  it('stores every field', async () => {
    const { create } = await start()
    const slug = `night-${crypto.randomUUID()}`
    const sent = { name: ' For the label ', slug, expiresAt: later, disableDownloads: true }
    const { body } = await create(sent)
    expect(body).toMatchObject({ name: 'For the label', slug, expiresAt: later, downloadsEnabled: false })
    expect((await open(slug)).body.link).toMatchObject({ slug, downloadsEnabled: false })
  })

  it('protects the link with the access code, and stores only a salted hash of it', async () => {
    const { create } = await start()
    const [{ body }, { body: another }] = [
      await create({ accessCode: 'open sesame' }),
      await create({ accessCode: 'open sesame' }),
    ]
    expect(body.requiresAccessCode).toBe(true)
    expect((await open(body.slug)).body).toEqual(errorBody('access_code_required'))
    expect((await open(body.slug, '?accessCode=open%20sesame')).status).toBe(200)
    const hashes = await gateway.database.sql`
      select access_code_hash as hash from pack_links where id in ${gateway.database.sql([body.id, another.id])}`
    expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(2)
    for (const { hash } of hashes) expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$/)
    expect(JSON.stringify([body, gateway.log.lines])).not.toContain('sesame')
  })

  it('returns 409 for a slug that another link already uses, even in another account', async () => {
    const [first, second] = [await start(), await start()]
    const slug = `night-${crypto.randomUUID()}`
    const responses = await Promise.all([first.create({ slug }), second.create({ slug })])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409])
    expect((await second.create({ slug })).body).toEqual(errorBody('slug_conflict'))
  })

  it.each([
    ['slug', { slug: 'Night Drives' }],
    ['slug', { slug: 'ab' }],
    ['accessCode', { accessCode: 'abc' }],
    ['name', { name: '' }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['disableDownloads', { disableDownloads: 'yes' }],
  ])('returns 400 for an invalid %s', async (path, sent) => {
    const { owner, packId, create } = await start()
    const { status, body } = await create(sent)
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', path])
    expect((await owner.get(`/v1/packs/${packId}/links`)).body).toEqual({ records: [] })
  })

  it("returns 404 for another account's pack before it validates the body", async () => {
    const { create } = await start()
    const { status, body } = await create({ slug: '' }, await gateway.signUp())
    expect([status, body]).toEqual([404, errorBody('pack_not_found')])
  })
})
