import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const label = 'packs.invitations.create'
const nativeLabels = [label] as const
const environment = {
  EMAIL_API_KEY: 're_key_of_the_tests',
  EMAIL_FROM: 'Crossfade <invitations@example.test>',
}

const startWith = async (gateway: TestGateway) => {
  const owner = await gateway.signUp({ plan: 'free' })
  const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
  const path = `/v1/packs/${packId}/invitations`
  const invite = (email: unknown) => owner.post(path, { email })
  const findStored = () => gateway.database.sql`select * from pack_invitations where pack_id = ${packId}`
  const findJobs = async (invitationId: string) =>
    (
      await gateway.database.sql`
        select data, group_id from pgboss.job
        where name = 'send-invitation' and data->>'invitationId' = ${invitationId}`
    ).map(({ data, group_id }) => ({ data, accountId: group_id }))
  return { owner, packId, path, invite, findStored, findJobs }
}

describe(label, () => {
  const gateway = startTestGateway({ nativeLabels, environment })

  it("returns a queued invitation, and queues its e-mail on behalf of the pack's owner", async () => {
    const { owner, packId, invite, findJobs } = await startWith(gateway)
    const { status, headers, body } = await invite(' Ann@Example.test ')
    expect([status, headers.get('x-service-core-runtime')]).toEqual([201, 'native'])
    expect(headers.get('location')).toBe(`/v1/packs/${packId}/invitations/${body.id}`)
    expect(body).toEqual({
      id: expect.any(String),
      packId,
      email: 'ann@example.test',
      status: 'queued',
      createdAt: expect.stringMatching(/Z$/),
    })
    const data = {
      queue: 'send-invitation',
      invitationId: body.id,
      packName: 'Harbour EP',
      link: null,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    }
    expect(await findJobs(body.id)).toEqual([{ data, accountId: owner.accountId }])
  })

  it("queues the e-mail with the pack's newest active link, preferring links without an access code", async () => {
    const { packId, invite, findJobs } = await startWith(gateway)
    const { sql } = gateway.database
    const readLink = async () => {
      const { body } = await invite('ann@example.test')
      const [job] = await findJobs(body.id)
      return job?.data.link
    }
    const insertLink = (
      slug: string,
      age: string,
      codeHash: string | null = null,
      revokedAt: Date | null = null,
    ) =>
      sql`
        insert into pack_links (id, pack_id, slug, created_at, access_code_hash, revoked_at)
        values (${slug}, ${packId}, ${slug}, now() - ${age}::interval, ${codeHash}, ${revokedAt})`
    await insertLink(`revoked-${packId}`, '1 hour', null, new Date())
    expect(await readLink()).toBe(null)
    await insertLink(`coded-${packId}`, '1 hour', 'a hash')
    expect(await readLink()).toEqual({ slug: `coded-${packId}`, requiresAccessCode: true })
    await insertLink(`older-${packId}`, '3 hours')
    await insertLink(`newer-${packId}`, '2 hours')
    expect(await readLink()).toEqual({ slug: `newer-${packId}`, requiresAccessCode: false })
  })

  it('stores no invitation if its job cannot be queued', async () => {
    const { invite, findStored } = await startWith(gateway)
    const { sql } = gateway.database
    await sql`alter table pgboss.job rename to job_renamed`
    try {
      const { status, body } = await invite('ann@example.test')
      expect([status, body]).toEqual([503, errorBody('packs_database_unavailable')])
      expect(await findStored()).toEqual([])
    } finally {
      await sql`alter table pgboss.job_renamed rename to job`
    }
  })

  it('returns 400 for an address that is invalid or missing', async () => {
    const { invite, findStored } = await startWith(gateway)
    for (const email of ['ann', 'ann@example', 'Ann <ann@example.test>', undefined, 7]) {
      const { status, body } = await invite(email)
      expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'email'])
    }
    expect(await findStored()).toEqual([])
  })

  it("returns 404 for another account's pack before it validates the body", async () => {
    const { path } = await startWith(gateway)
    const { status, body } = await (await gateway.signUp()).post(path, { email: 'ann' })
    expect([status, body]).toEqual([404, errorBody('pack_not_found')])
  })

  it('logs no address', async () => {
    const { invite } = await startWith(gateway)
    await invite('secret-recipient@example.test')
    expect(JSON.stringify(gateway.log.lines)).not.toContain('secret-recipient')
  })
})

describe(`${label} without an e-mail provider`, () => {
  const gateway = startTestGateway({ nativeLabels, core: 'sandbox' })

  it('leaves the invitation to the core', async () => {
    const { invite, findStored, findJobs } = await startWith(gateway)
    const { status, headers, body } = await invite('ann@example.test')
    expect([status, headers.get('x-service-core-runtime')]).toEqual([201, 'proxy'])
    expect(await findStored()).toMatchObject([{ id: body.id, status: 'queued' }])
    expect(await findJobs(body.id)).toEqual([])
  })
})

describe(`${label} without an e-mail provider or a core`, () => {
  const gateway = startTestGateway({ nativeLabels })

  it('returns 501', async () => {
    const { invite, findStored } = await startWith(gateway)
    const { status, body } = await invite('ann@example.test')
    expect([status, body.error]).toEqual([501, 'native_route_not_implemented'])
    expect(await findStored()).toEqual([])
  })
})
