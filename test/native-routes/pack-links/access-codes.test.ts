import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { hashAccessCode, insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const code = ' naïve café '
interface Count {
  readonly key: string
  readonly used: number
}

const clientAt = (address: string) => ({ 'x-forwarded-for': address })

describe("a pack link's access code", () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    environment: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_ACCESS_CODES: '3/600' },
  })
  let clients = 0
  const aClient = () => clientAt(`192.0.2.${++clients}`)

  const start = async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const link = await insertPackLink(gateway.database.sql, packId, { accessCode: code })
    return { owner, packId, ...link }
  }
  const open = (slug: string, accessCode: string | null, headers: Record<string, string> = aClient()) =>
    gateway.request(
      'GET',
      `/v1/pack-links/${slug}${accessCode === null ? '' : `?accessCode=${encodeURIComponent(accessCode)}`}`,
      { headers },
    )

  it('opens a link that the core has created, but only if the code matches exactly', async () => {
    const { owner, packId } = await start()
    const made = await owner.post(`/v1/packs/${packId}/links`, { accessCode: code })
    expect([made.status, made.headers.get('x-service-core-runtime')]).toEqual([201, 'proxy'])
    const opened = await open(made.body.slug, code)
    expect([opened.status, opened.headers.get('x-service-core-runtime')]).toEqual([200, 'native'])
    for (const other of [code.trim(), code.toUpperCase(), `${code}x`])
      expect((await open(made.body.slug, other)).status).toBe(403)
  })

  it('causes a 500 if its hash has an unknown format', async () => {
    const { id, slug } = await start()
    await gateway.database.sql`update pack_links set access_code_hash = ${'plain'} where id = ${id}`
    const response = await open(slug, 'plain')
    expect([response.status, response.body]).toEqual([500, { error: 'internal_error' }])
  })

  it('causes a 429 after too many wrong codes, even if it is right', async () => {
    const { slug } = await start()
    const client = aClient()
    const wrong = []
    for (let n = 0; n < 3; n++) wrong.push((await open(slug, `wrong ${n}`, client)).status)
    expect(wrong).toEqual([403, 403, 403])
    for (const tried of ['wrong again', code]) {
      const response = await open(slug, tried, client)
      expect([response.status, response.body]).toEqual([429, errorBody('analytics_rate_limited')])
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(500)
    }
    expect((await open(slug, code)).status).toBe(200)
    // The code of another client's recent visit does not open the link for this client.
    expect((await open(slug, code, client)).status).toBe(429)
    expect((await open(slug, null, client)).status).toBe(403)
  })

  it('can be guessed only a limited number of times by one client, even concurrently', async () => {
    const { slug } = await start()
    const client = aClient()
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => open(slug, `guess ${n}`, client)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(403),
      ...Array(17).fill(429),
    ])
  })

  it('can be guessed only a limited number of times by an entire IPv6 /64 network', async () => {
    const { slug } = await start()
    const statuses = []
    for (let n = 1; n <= 4; n++)
      statuses.push((await open(slug, `wrong ${n}`, clientAt(`2001:db8:7:7::${n}`))).status)
    expect(statuses).toEqual([403, 403, 403, 429])
    expect((await open(slug, 'wrong', clientAt('2001:db8:7:8::1'))).status).toBe(403)
  })

  it('does not count as a guess if it is missing or right', async () => {
    const { slug } = await start()
    const client = aClient()
    for (let n = 0; n < 5; n++) expect((await open(slug, null, client)).status).toBe(403)
    for (let n = 0; n < 5; n++) expect((await open(slug, code, client)).status).toBe(200)
    const many = await Promise.all(Array.from({ length: 12 }, () => open(slug, code, client)))
    expect(many.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect((await open(slug, 'wrong', client)).status).toBe(403)
  })

  it('is accepted in many concurrent requests from a new visitor', async () => {
    const { slug } = await start()
    const client = aClient()
    const many = await Promise.all(Array.from({ length: 12 }, () => open(slug, code, client)))
    expect(many.map(({ status }) => status)).toEqual(Array(12).fill(200))
  })

  it('is accepted from many concurrent clients without using up the limit', async () => {
    const { slug } = await start()
    const crowd = await Promise.all(Array.from({ length: 130 }, () => open(slug, code)))
    expect(crowd.map(({ status }) => status)).toEqual(crowd.map(() => 200))
    expect((await open(slug, 'wrong')).status).toBe(403)
  })

  it('is not counted as a guess if the limit has rejected it', async () => {
    const { slug } = await start()
    const client = aClient()
    const usesOf = async () => (await gateway.database.sql`select key, used from rate_limits`) as Count[]
    const before = new Set((await usesOf()).map(({ key }) => key))
    await Promise.all(Array.from({ length: 9 }, (_, n) => open(slug, `guess ${n}`, client)))
    const counts = (await usesOf()).filter(({ key, used }) => !before.has(key) && used > 1)
    // The third count is for reads of the link, which are reserved in advance.
    expect(counts.map(({ used }) => used).sort((one, other) => one - other)).toEqual([3, 3, 16])
  })

  it('is rejected as soon as it is replaced', async () => {
    const { id, slug } = await start()
    expect((await open(slug, code)).status).toBe(200)
    await gateway.database
      .sql`update pack_links set access_code_hash = ${hashAccessCode('another')} where id = ${id}`
    expect((await open(slug, code)).status).toBe(403)
    expect((await open(slug, 'another')).status).toBe(200)
  })
})

describe('the rate limits of share routes', () => {
  const gateway = startTestGateway({
    environment: { RATE_LIMIT_PUBLIC_READS: '4/60', RATE_LIMIT_SHARE_EVENTS: '2/60' },
  })
  const start = async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    return insertPackLink(gateway.database.sql, packId)
  }
  const statusesOf = async (count: number, method: string, path: string, headers = {}) => {
    const responses = []
    for (let n = 0; n < count; n++) responses.push(await gateway.request(method, path, { headers }))
    return responses.map(({ status }) => status)
  }

  it("count a client's requests to all of a link's routes together", async () => {
    const [{ slug }, other] = [await start(), await start()]
    expect(await statusesOf(2, 'GET', `/v1/pack-links/${slug}`)).toEqual([200, 200])
    expect(await statusesOf(3, 'GET', `/v1/public/pack-links/${slug}`)).toEqual([200, 200, 429])
    expect(await statusesOf(1, 'HEAD', `/v1/pack-links/${slug}/presentation`)).toEqual([429])
    expect(await statusesOf(1, 'GET', `/v1/pack-links/${other.slug}`)).toEqual([200])
    expect(await statusesOf(3, 'POST', `/v1/pack-links/${slug}/share-events`)).toEqual([200, 200, 429])
  })

  it("ignore an untrusted peer's x-forwarded-for header", async () => {
    const { slug } = await start()
    const responses = []
    for (let n = 0; n < 5; n++)
      responses.push(...(await statusesOf(1, 'GET', `/v1/pack-links/${slug}`, clientAt(`192.0.2.${n}`))))
    expect(responses).toEqual([200, 200, 200, 200, 429])
  })

  it('count unknown links like existing ones', async () => {
    const expected = [404, 404, 404, 404, 429]
    for (const path of ['/v1/public/track-links', '/v1/public/split-sheets', '/v1/public/pack-links'])
      expect(await statusesOf(5, 'GET', `${path}/${crypto.randomUUID()}`)).toEqual(expected)
  })

  it('are enforced in memory while the database is unavailable', async () => {
    const { slug } = await start()
    await gateway.database.sql`alter table rate_limits rename to rate_limits_away`
    try {
      expect(await statusesOf(5, 'GET', `/v1/pack-links/${slug}`)).toEqual([200, 200, 200, 200, 429])
    } finally {
      await gateway.database.sql`alter table rate_limits_away rename to rate_limits`
    }
  })
})
