import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { itThoroughly } from '#test/support/count-cases.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const readCpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Measures the longest time, in milliseconds, for which `work` blocks this thread's event loop. Counts CPU time,
 * because elapsed time would include delays by the database and other processes.
 */
const measureLongestTask = async (work: () => Promise<unknown>): Promise<number> => {
  let longestMs = 0
  let last = readCpuMs()
  const beat = () => {
    const now = readCpuMs()
    longestMs = Math.max(longestMs, now - last)
    last = now
  }
  const timer = setInterval(beat, 1)
  await work()
  beat()
  clearInterval(timer)
  return longestMs
}

describe('a long list', () => {
  // A busy machine may need a long time.
  const gateway = startTestGateway({ control: 'fixed', nativeTimeoutMs: 60_000 })

  const start = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}` }
  }

  const insertLinks = (trackId: string, count: number) => gateway.database.sql`
    insert into track_share_links (id, track_id, name, token_hash, token_preview, revoked_at)
    select gen_random_uuid(), ${trackId}, 'Link ' || n, md5(${trackId} || n) || md5(n::text), 'abcd', now()
    from generate_series(1, ${count}::int) n`

  const insertDocuments = (trackId: string, count: number, status: string) => gateway.database.sql`
    insert into media_assets (id, track_id, kind, status, file_name, content_type, byte_size, storage_key)
    select gen_random_uuid(), ${trackId}, 'document', ${status}, 'a.pdf', 'application/pdf', n, ${trackId} || n
    from generate_series(1, ${count}::int) n`

  // Does not parse the body, because that would block this process too.
  const countBytes = (account: TestAccount, path: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(gateway.url + path, { headers: { authorization: `Bearer ${account.token}` } })
      sent.on('error', reject)
      sent.on('response', (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on('end', () =>
          response.statusCode === 200 ? resolve(bytes) : reject(new Error(String(response.statusCode))),
        )
      })
      sent.end()
    })

  const expectShortTasks = async (load: () => Promise<unknown>) => {
    const attempts: number[] = []
    // A garbage collection in this process may disturb one attempt.
    for (let attempt = 0; attempt < 3; attempt++) attempts.push(await measureLongestTask(load))
    expect(Math.min(...attempts)).toBeLessThan(50)
  }

  const startWithLinks = async (count: number) => {
    const { alice, trackId, path } = await start()
    await insertLinks(trackId, count)
    await gateway.database.sql`analyze track_share_links`
    return () => countBytes(alice, `${path}/share-links`)
  }

  it('of 20,000 records does not block other requests', async () => {
    const read = await startWithLinks(20_000)
    expect(await read()).toBeGreaterThan(4_000_000)
    await expectShortTasks(read)
  }, 60_000)

  itThoroughly(
    'of 50,000 records does not block other requests, even if five clients read it at once',
    async () => {
      const read = await startWithLinks(50_000)
      await expectShortTasks(read)
      await expectShortTasks(() => Promise.all(Array.from({ length: 5 }, read)))
    },
    120_000,
  )

  itThoroughly.each([
    ['processing-status', 20_000, 'processing'],
    ['media-assets', 3000, 'ready'],
  ])(
    'in %s does not block other requests',
    async (resource, count, status) => {
      const { alice, trackId, path } = await start()
      await insertDocuments(trackId, count, status)
      await expectShortTasks(() => countBytes(alice, `${path}/${resource}`))
    },
    60_000,
  )

  itThoroughly(
    'of tracks in a shared pack does not block other requests',
    async () => {
      const { sql } = gateway.database
      const alice = await gateway.signUp()
      const { packId } = await insertPackOf(sql, alice.accountId, 0)
      const { slug } = await insertPackLink(sql, packId)
      await sql`
        with inserted as (
          insert into tracks (id, owner_id, title, artist)
          select gen_random_uuid(), ${alice.accountId}, 'Track ' || n, 'The Owls' from generate_series(1, 3000) n
          returning id
        ), listed as (
          insert into pack_tracks (pack_id, track_id, position)
          select ${packId}, id, row_number() over () - 1 from inserted
        )
        insert into media_assets
          (id, track_id, kind, status, file_name, content_type, byte_size, storage_key, is_primary)
        select gen_random_uuid(), id, 'artwork', 'ready', 'a.png', 'image/png', 1, 'artwork/' || id, true
        from inserted`
      await expectShortTasks(() => countBytes(alice, `/v1/public/pack-links/${slug}`))
    },
    60_000,
  )

  it('has the same fields in each record as a short one, and HEAD reports its exact length', async () => {
    const { alice, trackId, path } = await start()
    await insertLinks(trackId, 3)
    const [before] = (await alice.get(`${path}/share-links`)).body.records
    await gateway.database.sql`
      insert into track_share_links (id, track_id, name, token_hash, token_preview, revoked_at)
      select gen_random_uuid(), ${trackId}, 'Renée 🎹 "' || n, md5(${trackId} || n) || md5('b'), 'abcd', now()
      from generate_series(1, 1501) n`
    const response = await alice.get(`${path}/share-links`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.body.records).toHaveLength(1504)
    const names = new Set(response.body.records.map(({ name }: { name: string }) => name))
    expect(names.size).toBe(1504)
    expect(names).toContain('Renée 🎹 "1501')
    for (const record of response.body.records) expect(Object.keys(record)).toEqual(Object.keys(before))
    const head = await gateway.request('HEAD', `${path}/share-links`, { token: alice.token })
    const whole = await fetch(`${gateway.url}${path}/share-links`, {
      headers: { authorization: `Bearer ${alice.token}` },
    })
    expect(head.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength))
    expect(head.body).toBe('')
  })
})
