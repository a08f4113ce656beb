import { randomBytes, scryptSync } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { itThoroughly } from '#test/support/count-cases.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const code = 'sesame'

// A cheap hash, because some tests send many wrong codes.
const hashCheaply = (text: string) => {
  const salt = randomBytes(16)
  const [encodedSalt, key] = [salt, scryptSync(text, salt, 32, { N: 2 ** 10, r: 8, p: 1 })].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
  )
  return `$scrypt$ln=10,r=8,p=1$${encodedSalt}$${key}`
}

const startGatedPacks = (environment: Record<string, string>) => {
  const gateway = startTestGateway({ environment: { TRUSTED_PROXIES: '127.0.0.1', ...environment } })
  let clients = 0
  const aClient = () => {
    clients += 1
    return `192.0.${clients >> 8}.${clients & 255}`
  }
  const setHash = (id: string, hash: string) =>
    gateway.database.sql`update pack_links set access_code_hash = ${hash} where id = ${id}`
  const start = async () => {
    const owner = await gateway.signUp()
    const { packId, trackIds } = await insertPackOf(gateway.database.sql, owner.accountId)
    const link = await insertPackLink(gateway.database.sql, packId, { accessCode: code })
    await setHash(link.id, hashCheaply(code))
    return { ...link, trackId: trackIds[0]! }
  }
  const open = async (slug: string, accessCode: string, client = aClient(), origin = gateway.url) =>
    requestAt(origin, 'GET', `/v1/public/pack-links/${slug}?accessCode=${encodeURIComponent(accessCode)}`, {
      headers: { 'x-forwarded-for': client },
    })
  const statusOf = async (...visit: Parameters<typeof open>) => (await open(...visit)).status
  const guess = async (slug: string, count: number, perClient: number) => {
    const addresses = Array.from({ length: Math.ceil(count / perClient) }, aClient)
    const ofClient = async (client: string, first: number) => {
      const statuses = []
      for (let n = first; n < Math.min(first + perClient, count); n++)
        statuses.push(await statusOf(slug, `wrong ${n}`, client))
      return statuses
    }
    return (await Promise.all(addresses.map((client, n) => ofClient(client, n * perClient)))).flat()
  }
  return { gateway, aClient, start, setHash, open, statusOf, guess }
}

/** Starts an instance that does not remember earlier requests. */
const startAnother = async ({ settings }: TestGateway, log = createRecordingLog()) => {
  const another = await startGateway({ settings, log })
  onTestFinished(() => another.close())
  return another.url
}

describe("a link's wrong access codes", () => {
  const { gateway, aClient, start, open, statusOf, guess } = startGatedPacks({})

  it('do not lock the link after a hundred attempts from ten addresses', async () => {
    const { slug } = await start()
    expect(await guess(slug, 100, 10)).toEqual(Array(100).fill(403))
    expect(await statusOf(slug, code)).toBe(200)
    expect(await statusOf(slug, 'wrong')).toBe(403)
  })

  itThoroughly(
    'lock the link after a thousand in an hour, except for clients that sent the right code before',
    async () => {
      const { slug } = await start()
      const visitor = aClient()
      expect(await statusOf(slug, code, visitor)).toBe(200)
      expect(await guess(slug, 1000, 10)).toEqual(Array(1000).fill(403))
      const another = await startAnother(gateway)
      // Even the instance that has accepted the code now rejects it like a wrong one.
      for (const origin of [gateway.url, another])
        for (const tried of ['wrong', code]) {
          const { status, body, headers } = await open(slug, tried, aClient(), origin)
          expect([status, body]).toEqual([429, errorBody('analytics_rate_limited')])
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000)
        }
      for (const origin of [another, gateway.url]) {
        expect(await statusOf(slug, 'wrong', visitor, origin)).toBe(403)
        expect(await statusOf(slug, code, visitor, origin)).toBe(200)
      }
    },
    60_000,
  )
})

describe("the limit on a link's wrong access codes", () => {
  const packs = startGatedPacks({ RATE_LIMIT_ACCESS_CODES: '2/600', RATE_LIMIT_ACCESS_CODES_LINK: '4/3600' })
  const { gateway, aClient, start, setHash, open, statusOf, guess } = packs

  const startExhausted = async () => {
    const [link, visitor] = [await start(), aClient()]
    expect(await statusOf(link.slug, code, visitor)).toBe(200)
    expect(await guess(link.slug, 4, 2)).toEqual([403, 403, 403, 403])
    return { ...link, visitor }
  }

  it.each(labels.filter((label) => rowOf(label).scope === 'link:pack'))(
    'applies only to new clients of %s',
    async (label) => {
      const { slug, trackId, visitor } = await startExhausted()
      const { method, path } = rowOf(label)
      const target = path.replace(':slug', slug).replace(':trackId', trackId)
      const another = await startAnother(gateway)
      const request = async (client: string) =>
        requestAt(another, method, `${target}?accessCode=${code}`, { headers: { 'x-forwarded-for': client } })
      expect((await request(aClient())).status).toBe(429)
      expect((await request(visitor)).status).toBe(200)
    },
  )

  it('exempts a client for 24 hours after it last sent the right code', async () => {
    const { slug, visitor } = await startExhausted()
    const { sql } = gateway.database
    const [admission] = await sql`
      select key, extract(epoch from expires_at - now())::int as lifetime from pack_link_admissions
      order by expires_at desc limit 1`
    // The lifetime includes five minutes for which visits with a remembered code do not extend it.
    expect(admission!.lifetime).toBeGreaterThan(24 * 3600 + 200)
    expect(admission!.lifetime).toBeLessThanOrEqual(24 * 3600 + 300)

    const expireIn = (seconds: number) =>
      sql`update pack_link_admissions set expires_at = now() + ${seconds} * interval '1 second' where key = ${admission!.key}`
    await expireIn(60)
    expect(await statusOf(slug, code, visitor, await startAnother(gateway))).toBe(200)
    const [extended] =
      await sql`select expires_at > now() + interval '24 hours' as whole from pack_link_admissions where key = ${admission!.key}`
    expect(extended!.whole).toBe(true)
    await expireIn(0)
    expect(await statusOf(slug, code, visitor, await startAnother(gateway))).toBe(429)
  })

  it('applies again to an exempt client once the code has changed', async () => {
    const { id, slug, visitor } = await startExhausted()
    await setHash(id, hashCheaply('another'))
    for (const tried of [code, 'another']) expect(await statusOf(slug, tried, visitor)).toBe(429)
  })

  it('exempts a client only on the link whose code it sent, and exempts no one else there', async () => {
    const { slug, visitor } = await startExhausted()
    const other = await startExhausted()
    expect(await statusOf(other.slug, code, visitor)).toBe(429)
    expect(await statusOf(slug, code, other.visitor)).toBe(429)
  })

  it('does not count guesses by clients that have no attempts left', async () => {
    const { slug } = await start()
    const client = aClient()
    for (const expected of [403, 403, 429, 429, 429, 429])
      expect(await statusOf(slug, crypto.randomUUID(), client)).toBe(expected)
    expect(await guess(slug, 2, 2)).toEqual([403, 403])
    expect(await statusOf(slug, 'wrong')).toBe(429)
  })

  it('does not use up the attempts of a client that it rejects', async () => {
    const { slug } = await startExhausted()
    const client = aClient()
    for (let n = 0; n < 4; n++) {
      const { status, headers } = await open(slug, n === 0 ? 'wrong' : code, client)
      expect(status).toBe(429)
      // The client's own limit would reset within ten minutes.
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000)
    }
  })

  it('counts the wrong codes of exempt clients', async () => {
    const { slug } = await start()
    const visitor = aClient()
    expect(await statusOf(slug, code, visitor)).toBe(200)
    for (const tried of ['one', 'two']) expect(await statusOf(slug, tried, visitor)).toBe(403)
    expect(await guess(slug, 2, 2)).toEqual([403, 403])
    expect(await statusOf(slug, 'wrong')).toBe(429)
  })

  it('admits many concurrent new clients with the right code', async () => {
    const { slug } = await start()
    const crowd = await Promise.all(Array.from({ length: 60 }, () => statusOf(slug, code)))
    expect(crowd).toEqual(crowd.map(() => 200))
    expect(await statusOf(slug, 'wrong')).toBe(403)
  })

  it('counts guesses across two instances', async () => {
    const { slug } = await start()
    const another = await startAnother(gateway)
    const statuses = []
    for (let n = 0; n < 6; n++)
      statuses.push(await statusOf(slug, `wrong ${n}`, aClient(), n % 2 === 0 ? gateway.url : another))
    expect(statuses).toEqual([403, 403, 403, 403, 429, 429])
  })

  it('stores no link ids, slugs or client addresses', async () => {
    const { id, slug, visitor } = await startExhausted()
    const { sql } = gateway.database
    const rows = [
      ...(await sql`select key from rate_limits`),
      ...(await sql`select key from pack_link_admissions`),
    ]
    expect(rows.length).toBeGreaterThan(2)
    for (const { key } of rows)
      for (const secret of [id, slug, visitor, '192.0']) expect(key).not.toContain(secret)
  })

  it('admits clients with the right code while admissions cannot be stored', async () => {
    const { slug } = await start()
    const log = createRecordingLog()
    const another = await startAnother(gateway, log)
    await gateway.database.sql`alter table pack_link_admissions rename to pack_link_admissions_away`
    try {
      expect(await statusOf(slug, code, aClient(), another)).toBe(200)
    } finally {
      await gateway.database.sql`alter table pack_link_admissions_away rename to pack_link_admissions`
    }
    const messages = log.lines.map(({ message }) => message)
    expect(messages).toContain('failed to look up client admission')
    expect(messages).toContain('failed to store client admission')
  })
})

describe("without a limit on a link's wrong access codes", () => {
  const { start, statusOf, guess } = startGatedPacks({
    RATE_LIMIT_ACCESS_CODES: '2/600',
    RATE_LIMIT_ACCESS_CODES_LINK: 'off',
  })

  it("only each client's attempts are limited", async () => {
    const { slug } = await start()
    expect(await guess(slug, 20, 2)).toEqual(Array(20).fill(403))
    expect(await statusOf(slug, code)).toBe(200)
  })
})
