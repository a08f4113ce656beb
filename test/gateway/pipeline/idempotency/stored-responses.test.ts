import { describe, expect, it } from 'vitest'
import { createKeyedHash } from '#db/hashes.ts'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { startTestJobs } from '#test/support/jobs.ts'

const withKey = (key: string = crypto.randomUUID()) => ({ 'idempotency-key': key })
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true'

describe('a stored response', () => {
  const gateway = startTestGateway({ control: 'fixed' })
  const stored = () =>
    gateway.database.sql<{ key_hash: string; request_hash: string; response: string | null }[]>`
      select key_hash, request_hash, response from idempotency_keys`
  const countLibraries = async ({ accountId }: TestAccount) =>
    (await gateway.database.sql`select from libraries where owner_id = ${accountId}`).length

  it('reveals neither the key nor a share token to a reader of the database and the log', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const key = `key-${crypto.randomUUID()}`
    const path = `/v1/tracks/${trackId}/share-links`
    const { status, body } = await account.post(path, { name: 'For Ann' }, withKey(key))
    expect(status).toBe(201)
    expect((await account.post(path, { name: 'For Ann' }, withKey(key))).body).toEqual(body)
    const rows = await stored()
    const hashes = rows.flatMap(({ key_hash, request_hash }) => [key_hash, request_hash])
    const decoded = rows.map(({ response }) => Buffer.from(response ?? '', 'base64').toString('latin1'))
    const logged = JSON.stringify(gateway.log.lines)
    for (const secret of [key, body.token, 'For Ann'])
      for (const text of [JSON.stringify(rows), decoded.join('\n'), logged])
        expect(text).not.toContain(secret)
    for (const hash of hashes) expect(logged).not.toContain(hash)
  })

  it('belongs to one account', async () => {
    const [ann, ben] = [await gateway.signUp(), await gateway.signUp()]
    const headers = withKey()
    const first = await ann.post('/v1/libraries', { name: 'A' }, headers)
    const second = await ben.post('/v1/libraries', { name: 'A' }, headers)
    expect([second.status, isReplayed(second)]).toEqual([201, false])
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('belongs to one route, so its key is rejected on any other route', async () => {
    const account = await gateway.signUp()
    const headers = withKey()
    const { body: library } = await account.post('/v1/libraries', { name: 'A' }, headers)
    for (const send of [account.patch, account.delete])
      expect((await send(`/v1/libraries/${library.id}`, { name: 'A' }, headers)).body).toEqual(
        errorBody('idempotency_key_reused'),
      )
    expect((await account.get(`/v1/libraries/${library.id}`, headers)).status).toBe(200)
  })

  it('is not sent to someone who has since lost access or has no valid token', async () => {
    const [owner, guest] = [await gateway.signUp(), await gateway.signUp()]
    const library = await createLibrary(owner)
    const share = await shareLibrary(owner, library, guest, 'admin')
    const headers = withKey()
    const rename = (token?: string) =>
      gateway.request('PATCH', `/v1/libraries/${library.id}`, {
        token: token ?? '',
        body: { name: 'B' },
        headers,
      })
    expect((await rename(guest.token)).status).toBe(200)
    expect(isReplayed(await rename(guest.token))).toBe(true)
    expect((await rename('not.a.token')).body).toEqual(errorBody('unauthorized'))
    await owner.delete(`/v1/libraries/${library.id}/shares/${share.id}`)
    const lost = await rename(guest.token)
    expect([lost.status, lost.body, isReplayed(lost)]).toEqual([404, errorBody('library_not_found'), false])
  })

  it('is not sent to an account whose plan has lost the feature', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const headers = withKey()
    const share = () => account.post(`/v1/tracks/${trackId}/share-links`, {}, headers)
    expect((await share()).status).toBe(201)
    await gateway.database.sql`delete from subscriptions where account_id = ${account.accountId}`
    expect((await share()).body).toMatchObject(errorBody('entitlement_required'))
  })

  it('is sent even if its request used up a quota', async () => {
    const account = await gateway.signUp({ plan: 'starter' })
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const path = `/v1/tracks/${trackId}/share-links`
    const responses = []
    for (let count = 0; count < 50; count++) {
      const headers = withKey(`share-${count}`)
      const response = await account.post(path, {}, headers)
      if (response.status !== 201) break
      responses.push({ response, headers })
    }
    const last = responses.at(-1)
    expect((await account.post(path, {})).status).toBe(403)
    const replayed = await account.post(path, {}, last?.headers)
    expect([replayed.status, replayed.body]).toEqual([201, last?.response.body])
  })

  it('expires after 24 hours, and then its key can be used for a new request', async () => {
    const account = await gateway.signUp()
    const headers = withKey()
    await account.post('/v1/libraries', { name: 'A' }, headers)
    const [remaining] = await gateway.database.sql<{ hours: number }[]>`
      select extract(epoch from max(expires_at) - now())::float8 / 3600 as hours from idempotency_keys`
    expect(remaining?.hours).toBeGreaterThan(23.9)
    expect(remaining?.hours).toBeLessThanOrEqual(24)
    await gateway.database.sql`update idempotency_keys set expires_at = now()`
    const other = await account.post('/v1/libraries', { name: 'B' }, headers)
    expect([other.status, isReplayed(other)]).toEqual([201, false])
    expect(isReplayed(await account.post('/v1/libraries', { name: 'B' }, headers))).toBe(true)
    expect(await countLibraries(account)).toBe(2)
  })

  it.each([
    ['an invalid body', 400, { name: '' }],
    ['a body that is not JSON', 400, '{'],
    ['a conflict, whose transaction was rolled back', 409, { name: 'Taken' }],
  ])('is not kept for %s', async (_, status, body) => {
    const account = await gateway.signUp()
    await account.post('/v1/libraries', { name: 'Taken' })
    const headers = withKey()
    for (let count = 0; count < 2; count++) {
      const response = await account.post('/v1/libraries', body, headers)
      expect([response.status, isReplayed(response)]).toEqual([status, false])
    }
    expect((await account.post('/v1/libraries', { name: 'Free' }, headers)).status).toBe(201)
  })

  it('is replayed only if the request body is identical byte for byte', async () => {
    const account = await gateway.signUp()
    const headers = withKey()
    expect((await account.post('/v1/libraries', '{"name":"A"}', headers)).status).toBe(201)
    expect((await account.post('/v1/libraries', '{"name": "A"}', headers)).status).toBe(422)
    expect(isReplayed(await account.post('/v1/libraries', '{"name":"A"}', headers))).toBe(true)
  })

  it("cannot be swapped with another key's response", async () => {
    const account = await gateway.signUp()
    const [first, second] = [withKey(), withKey()]
    await account.post('/v1/libraries', { name: 'A' }, first)
    await account.post('/v1/libraries', { name: 'B' }, second)
    await gateway.database.sql`
      update idempotency_keys as known set response = other.response
      from idempotency_keys as other where other.key_hash <> known.key_hash and other.expires_at > now()`
    const response = await account.post('/v1/libraries', { name: 'A' }, first)
    expect([response.status, response.body]).toEqual([500, errorBody('internal_error')])
    await gateway.database.sql`delete from idempotency_keys`
  })
})

describe('expired idempotency keys', () => {
  const gateway = startTestGateway({ control: 'fixed', storage: true })
  startTestJobs(gateway)

  it('are deleted by the job worker', async () => {
    const account = await gateway.signUp()
    await account.post('/v1/libraries', { name: 'A' }, withKey())
    await account.post('/v1/libraries', { name: 'B' }, withKey())
    const count = async () => (await gateway.database.sql`select from idempotency_keys`).length
    expect(await count()).toBe(2)
    await gateway.database.sql`
      update idempotency_keys set expires_at = now()
      where key_hash = (select min(key_hash) from idempotency_keys)`
    await expect.poll(count, { timeout: 10_000 }).toBe(1)
  })
})

/** Uses up all but `left` keys of a new account's limit. */
const leaveKeys = async ({ database, settings }: TestGateway, { accountId }: TestAccount, left: number) => {
  const key = createKeyedHash(settings.GATEWAY_SECRET, 'limits')(`idempotency-keys ${accountId}`)
  await database.sql`
    insert into rate_limits (key, used, resets_at) values (${key}, ${3600 - left}, now() + interval '1 hour')`
}

describe('the limit on idempotency keys', () => {
  const gateway = startTestGateway({ control: 'fixed' })

  it('rejects new keys but still replays stored responses', async () => {
    const account = await gateway.signUp()
    await leaveKeys(gateway, account, 2)
    const post = (name: string, headers: Record<string, string>) =>
      account.post('/v1/libraries', { name }, headers)
    const headers = withKey()
    await post('A', headers)
    await post('B', withKey())
    const rejected = await post('C', withKey())
    expect([rejected.status, rejected.body]).toEqual([429, errorBody('rate_limited')])
    expect(isReplayed(await post('A', headers))).toBe(true)
    expect((await post('C', {})).status).toBe(201)
  })
})

describe('the limit on idempotency keys with long responses', () => {
  const gateway = startTestGateway({ control: 'fixed' })

  it('counts a long response as several keys, and still stores it', async () => {
    const account = await gateway.signUp()
    await leaveKeys(gateway, account, 20)
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const replace = (length: number, headers: Record<string, string>) =>
      account.put(
        `/v1/tracks/${trackId}/lyrics`,
        { text: '', lines: Array.from({ length }, () => ({ startMs: 0, text: 'x'.repeat(1000) })) },
        headers,
      )
    const headers = withKey()
    const first = await replace(40, headers)
    const [limit] = (first.headers.get('ratelimit') ?? '').split(';t=')
    expect([first.status, limit]).toEqual([200, '"idempotency-keys";r=16'])
    expect((await replace(400, withKey())).status).toBe(200)
    expect((await replace(1, withKey())).status).toBe(429)
    const replayed = await replace(40, headers)
    expect([replayed.status, replayed.body, isReplayed(replayed)]).toEqual([200, first.body, true])
  })
})
