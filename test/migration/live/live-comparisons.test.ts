import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { storeRouteState } from '#test/support/routing.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const comparisonRates = {
  attemptsPerSecond: 1000,
  askedPercent: 100,
  readBackPercent: 100,
  confirmDelayMs: 10,
  minuteMs: 1,
}

interface Sums {
  readonly comparisons: number
  readonly regressions: number
  readonly critical: number
  readonly transients: number
  readonly drops: number
}

const readSums = async ({ sql }: TestGateway['database'], label: Label): Promise<Sums> => {
  const [row] = await sql<[Sums]>`
    select coalesce(sum(comparisons), 0)::int as comparisons, coalesce(sum(regressions), 0)::int as regressions,
      coalesce(sum(critical), 0)::int as critical, coalesce(sum(transients), 0)::int as transients,
      coalesce(sum(drops), 0)::int as drops
    from evidence_counts where label = ${label}`
  return row
}

const clean = { regressions: 0, critical: 0, transients: 0 }

/**
 * Sends requests until a comparison of the route is stored. Before that, the child process has to start and the counts
 * have to be written.
 */
const compareUntilStored = async (
  gateway: TestGateway,
  label: Label,
  send: () => Promise<{ readonly status: number; readonly headers: Headers }>,
  isEnough: (sums: Sums) => boolean = ({ comparisons }) => comparisons > 0,
) => {
  let runtime: string | null = null
  await expect
    .poll(
      async () => {
        const { headers } = await send()
        runtime = headers.get('x-service-core-runtime')
        return isEnough(await readSums(gateway.database, label))
      },
      { timeout: 40_000, interval: 100 },
    )
    .toBe(true)
  return { runtime, sums: await readSums(gateway.database, label) }
}

const insertTrack = async (owner: TestAccount, gateway: TestGateway) => {
  const { packId, trackIds } = await insertPackOf(gateway.database.sql, owner.accountId)
  return { packId, trackId: trackIds[0]! }
}

describe('live comparisons', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    comparisonRates,
    comparisonWriteMs: 100,
    environment: { CORE_HONOURS_SHADOW: '1' },
  })

  it.each(['tracks.list', 'tracks.detail', 'packs.list', 'packs.detail'] as const)(
    'of %s repeat on native what the core served, and find no difference',
    async (label) => {
      const owner = await gateway.signUp()
      const { packId, trackId } = await insertTrack(owner, gateway)
      const ids = { 'tracks.detail': `/v1/tracks/${trackId}`, 'packs.detail': `/v1/packs/${packId}` }
      const path = label === 'tracks.list' ? '/v1/tracks' : label === 'packs.list' ? '/v1/packs' : ids[label]
      await storeRouteState(gateway.database, { scope: label, state: 'shadow' })
      const { runtime, sums } = await compareUntilStored(gateway, label, () => owner.get(path))
      expect(runtime).toBe('proxy')
      expect(sums).toMatchObject(clean)
      const [counts] = await gateway.database.sql`
        select statuses, accounts from evidence_counts where label = ${label}`
      expect(counts).toMatchObject({ statuses: { 200: expect.any(Number) }, accounts: [expect.any(String)] })
      const [usage] = await gateway.database.sql`select accounts from route_usage where label = ${label}`
      expect(usage?.accounts).toEqual(counts?.accounts)
    },
  )

  it('record no events of their own on a route with events', async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertTrack(owner, gateway)
    const { slug } = await insertPackLink(gateway.database.sql, packId)
    await storeRouteState(gateway.database, { scope: 'public.pack-links.detail', state: 'shadow' })
    let visits = 0
    const visit = () => {
      visits += 1
      return gateway.request('GET', `/v1/public/pack-links/${slug}`)
    }
    const { sums } = await compareUntilStored(gateway, 'public.pack-links.detail', visit)
    expect(sums).toMatchObject(clean)
    const countEvents = async () =>
      (await gateway.database.sql`select from engagement_events where owner_id = ${owner.accountId}`).length
    await expect.poll(countEvents).toBe(visits)
  })

  it('ask the core for what native served', async () => {
    const owner = await gateway.signUp()
    await createLibrary(owner)
    await storeRouteState(gateway.database, { scope: 'libraries.list', state: 'native', weightBp: 10_000 })
    const { runtime, sums } = await compareUntilStored(gateway, 'libraries.list', () =>
      owner.get('/v1/libraries'),
    )
    expect(runtime).toBe('native')
    expect(sums).toMatchObject(clean)
  })

  it('read from both sides what native wrote', async () => {
    const owner = await gateway.signUp({ plan: 'pro' })
    await storeRouteState(gateway.database, { scope: 'libraries.create', state: 'native', weightBp: 10_000 })
    const { runtime, sums } = await compareUntilStored(gateway, 'libraries.create', () =>
      owner.post('/v1/libraries', { name: crypto.randomUUID() }),
    )
    expect(runtime).toBe('native')
    expect(sums).toMatchObject(clean)
  })

  it('leave out requests whose responses depend on what the client already has', async () => {
    const owner = await gateway.signUp()
    const { trackId } = await insertTrack(owner, gateway)
    const path = `/v1/tracks/${trackId}/versions`
    await storeRouteState(gateway.database, { scope: 'tracks.versions.list', state: 'shadow' })
    let sent = 0
    const send = async () => {
      await owner.get(path, { 'if-none-match': '"1"' })
      await owner.get(path, { range: 'bytes=0-1' })
      sent += 1
      return owner.get(path)
    }
    await compareUntilStored(gateway, 'tracks.versions.list', send)
    const [row] = await gateway.database.sql`
      select sum(copies)::int as copies from evidence_counts where label = 'tracks.versions.list'`
    expect(row?.copies).toBeLessThanOrEqual(sent)
  })

  it('leave out routes that were never moved', async () => {
    const [row] = await gateway.database.sql`
      select count(*)::int as others from evidence_counts where label not in (select scope from route_state)`
    expect(row).toEqual({ others: 0 })
  })

  it('log no token and no warning', async () => {
    const { token } = await gateway.signUp()
    const text = JSON.stringify(gateway.log.lines)
    expect(text).not.toContain(token.slice(0, 40))
    expect(gateway.log.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  })
})

describe('live comparisons with a wrong native route', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    comparisonRates,
    comparisonWriteMs: 100,
    comparedHandlers: new URL('./wrong-handlers.ts', import.meta.url),
  })

  it('confirm the difference and store its location, with masked values', async () => {
    const owner = await gateway.signUp()
    const { trackId } = await insertTrack(owner, gateway)
    await storeRouteState(gateway.database, { scope: 'tracks.detail', state: 'shadow' })
    const { runtime, sums } = await compareUntilStored(
      gateway,
      'tracks.detail',
      () => owner.get(`/v1/tracks/${trackId}`),
      ({ regressions }) => regressions > 0,
    )
    expect(runtime).toBe('proxy')
    expect(sums).toMatchObject({ critical: 0, transients: 0 })
    const findMismatch = async () =>
      (await gateway.database.sql`select * from mismatch where label = 'tracks.detail'`)[0]
    // The mismatch is written after the counts.
    await expect.poll(findMismatch).toBeDefined()
    const mismatch = await findMismatch()
    expect(mismatch).toMatchObject({ kind: 'value', path: 'body.title', class: 'regression' })
    expect(mismatch?.example_native).toMatch(/^string #[0-9a-f]{10}$/)
    expect(JSON.stringify(mismatch)).not.toContain('wrong title')
  })

  it('count a difference that native shows only once, because the core agrees with itself', async () => {
    const owner = await gateway.signUp()
    await storeRouteState(gateway.database, { scope: 'packs.detail', state: 'shadow' })
    // Opens each pack only once, because the confirmation must see native's second response about that pack.
    const openNewPack = async () => {
      const { packId } = await insertTrack(owner, gateway)
      return owner.get(`/v1/packs/${packId}`)
    }
    const { sums } = await compareUntilStored(
      gateway,
      'packs.detail',
      openNewPack,
      ({ regressions }) => regressions > 0,
    )
    expect(sums).toMatchObject({ transients: 0, critical: 0 })
  })
})
