import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { requestAt, type TestResponse } from '#test/support/request-at.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'
import { createFile, finalizeUpload, putFile, uploadFile } from '#test/support/uploads.ts'

const environment = {
  QUOTA_LIBRARIES: '3',
  QUOTA_LINKS: '3',
  QUOTA_REVOKED_LINKS: '3',
  QUOTA_DOCUMENTS: '3',
  QUOTA_VERSIONS: '3',
  QUOTA_PENDING_UPLOAD_BYTES: '1000',
}

const listStatuses = (responses: readonly TestResponse[]) => responses.map(({ status }) => status).sort()
const pdf = createFile({ fileName: 'deal.pdf', contentType: 'application/pdf' })

const exceeded = (quota: string, limit = 3) => ({
  error: 'quota_exceeded',
  message: expect.stringContaining(String(quota)),
  quota,
  limit,
})

const creatingLabels = [
  'libraries.create',
  'tracks.share-links.create',
  'tracks.share-links.revoke',
  'tracks.versions.upload',
  'tracks.documents.upload',
  'tracks.artwork.upload',
]

describe.each([
  ['native', {}],
  ['the core', { GATEWAY_KILL: creatingLabels.join() }],
])('a quota that %s enforces', (runtime, killed) => {
  const gateway = startTestGateway({ core: 'sandbox', environment: { ...environment, ...killed } })
  const start = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, links: `/v1/tracks/${trackId}/share-links` }
  }
  const createMany = (count: number, create: (index: number) => Promise<TestResponse>) =>
    Promise.all(Array.from({ length: count }, (_, index) => create(index)))
  const listLinks = async (account: TestAccount, path: string): Promise<{ id: string; status: string }[]> =>
    (await account.get(path)).body.records

  const expectExactlyThree = (responses: readonly TestResponse[], quota: string, limit?: number) => {
    expect(listStatuses(responses)).toEqual([201, 201, 201, 409, 409, 409, 409, 409])
    for (const { status, body, headers } of responses) {
      if (status === 409) expect(body).toEqual(exceeded(quota, limit))
      expect(headers.get('x-service-core-runtime')).toBe(runtime === 'native' ? 'native' : 'proxy')
    }
  }

  it('admits exactly the allowed number of libraries that an account creates concurrently', async () => {
    const alice = await gateway.signUp()
    const create = (index: number) => alice.post('/v1/libraries', { name: `Library ${index}` })
    expectExactlyThree(await createMany(8, create), 'libraries')
    const [{ id }] = (await alice.get('/v1/libraries')).body.records
    expect((await alice.delete(`/v1/libraries/${id}`)).status).toBe(204)
    expect((await create(9)).status).toBe(201)
    expect((await (await gateway.signUp()).post('/v1/libraries', { name: 'Other' })).status).toBe(201)
  })

  it('admits exactly the allowed number of links that are created concurrently for a track', async () => {
    const { alice, trackId, links } = await start()
    expectExactlyThree(await createMany(8, () => alice.post(links)), 'links')
    const another = await insertTrackOf(gateway.database.sql, alice.accountId)
    expect((await alice.post(`/v1/tracks/${another}/share-links`)).status).toBe(201)

    const [first, second] = await listLinks(alice, links)
    expect((await alice.post(`${links}/${first!.id}/reset`)).status).toBe(200)
    expect((await alice.delete(`${links}/${first!.id}`)).status).toBe(204)
    expect((await alice.post(links)).status).toBe(201)
    expect((await alice.post(links)).status).toBe(409)
    await gateway.database
      .sql`update track_share_links set expires_at = now() - interval '1 s' where id = ${second!.id}`
    expect((await alice.post(links)).status).toBe(201)
    expect(await listLinks(alice, `/v1/tracks/${trackId}/share-links`)).toHaveLength(5)
  })

  it('counts the links that native and the core create at the same time', async () => {
    const { alice, links } = await start()
    const core = String(gateway.settings.CORE_BASE_URL)
    const responses = await createMany(8, (index) =>
      requestAt(index % 2 ? core : gateway.url, 'POST', links, { token: alice.token }),
    )
    expect(listStatuses(responses)).toEqual([201, 201, 201, 409, 409, 409, 409, 409])
  })

  it('applies only after a request is validated', async () => {
    const { alice, links } = await start()
    await createMany(3, () => alice.post(links))
    expect((await alice.post(links, { expiresAt: '1999-01-01T00:00:00Z' })).status).toBe(400)
    expect((await alice.post(links, { name: 7 })).status).toBe(400)
  })

  it('removes the link that was revoked first to make room for a newly revoked one', async () => {
    const { alice, links } = await start()
    const revoked: string[] = []
    for (let count = 0; count < 5; count++) {
      const { body } = await alice.post(links)
      expect((await alice.delete(`${links}/${body.id}`)).status).toBe(204)
      revoked.push(body.id)
    }
    const { body: active } = await alice.post(links)
    const left = await listLinks(alice, links)
    expect(left.map(({ id }) => id)).toEqual([active.id, ...revoked.slice(2).reverse()])
    // Revoking a revoked link again removes no other link from the list.
    expect((await alice.delete(`${links}/${revoked[2]}`)).status).toBe(204)
    expect((await alice.delete(`${links}/${revoked[0]}`)).status).toBe(404)
    expect(await listLinks(alice, links)).toEqual(left)
  })

  it('keeps only the allowed number of revoked links after concurrent revocations', async () => {
    const { alice, trackId, links } = await start()
    await gateway.database.sql`
      insert into track_share_links (id, track_id, token_hash, token_preview)
      select gen_random_uuid(), ${trackId}, md5(${trackId} || n) || md5(n::text), 'abcd'
      from generate_series(1, 12) n`
    const before = await listLinks(alice, links)
    const responses = await Promise.all(before.map(({ id }) => alice.delete(`${links}/${id}`)))
    expect(new Set(listStatuses(responses))).toEqual(new Set([204]))
    expect(await listLinks(alice, links)).toHaveLength(3)
  })

  it('keeps only the allowed number of expired links', async () => {
    const { alice, trackId, links } = await start()
    await gateway.database.sql`
      insert into track_share_links (id, track_id, name, token_hash, token_preview, expires_at)
      select gen_random_uuid(), ${trackId}, n::text, md5(${trackId} || n) || md5(n::text), 'abcd',
        now() - n * interval '1 minute'
      from generate_series(1, 6) n`
    expect((await alice.post(links, { name: 'new' })).status).toBe(201)
    const names = (await alice.get(links)).body.records.map(({ name }: { name: string }) => name)
    expect(names.sort()).toEqual(['1', '2', '3', 'new'])
  })

  it.each([
    ['versions', { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1 }],
    ['documents', { fileName: 'a.pdf', contentType: 'application/pdf', byteSize: 1 }],
  ])('counts pending uploads of %s that are created concurrently', async (folder, body) => {
    const { alice, trackId } = await start()
    const create = () => alice.post(`/v1/tracks/${trackId}/${folder}/uploads`, body)
    expectExactlyThree(await createMany(8, create), folder)
    await gateway.database.sql`
      update uploads set expires_at = now() - interval '2 hours' where track_id = ${trackId}
        and id = (select min(id) from uploads where track_id = ${trackId})`
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(409)
  })

  it("counts a track's versions", async () => {
    const { alice, trackId } = await start()
    for (let count = 0; count < 3; count++) await insertVersion(gateway.database.sql, trackId)
    const body = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1 }
    const response = await alice.post(`/v1/tracks/${trackId}/versions/uploads`, body)
    expect([response.status, response.body]).toEqual([409, exceeded('versions')])
  })

  it("counts the pending bytes of all of an account's tracks", async () => {
    const { alice, trackId } = await start()
    const another = await insertTrackOf(gateway.database.sql, alice.accountId)
    const body = { fileName: 'a.png', contentType: 'image/png', byteSize: 300 }
    const create = (index: number) =>
      alice.post(`/v1/tracks/${index % 2 ? trackId : another}/artwork/uploads`, body)
    expectExactlyThree(await createMany(8, create), 'pending_upload_bytes', 1000)
    const { status } = await alice.post(`/v1/tracks/${trackId}/artwork/uploads`, { ...body, byteSize: 100 })
    expect(status).toBe(201)
    const other = await start()
    expect((await other.alice.post(`/v1/tracks/${other.trackId}/artwork/uploads`, body)).status).toBe(201)
  })
})

describe('the quota for a finalized upload', () => {
  const gateway = startTestGateway({ storage: true, environment })

  it('counts the upload as a file and no longer as pending bytes', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const large = createFile({ ...pdf, bytes: new Uint8Array(900) })
    for (let count = 0; count < 3; count++) await uploadFile(alice, trackId, large, 'documents')
    const body = { fileName: 'a.pdf', contentType: 'application/pdf', byteSize: 1 }
    const response = await alice.post(`/v1/tracks/${trackId}/documents/uploads`, body)
    expect([response.status, response.body]).toEqual([409, exceeded('documents')])
  })

  it('rejects an upload that a core without quotas has accepted', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const intent = await putFile(alice, trackId)
    for (let count = 0; count < 3; count++) await insertVersion(gateway.database.sql, trackId)
    const response = await finalizeUpload(alice, intent)
    expect([response.status, response.body]).toEqual([409, exceeded('versions')])
    expect((await alice.get(`/v1/tracks/${trackId}/versions`)).body.versions).toHaveLength(3)
  })
})
