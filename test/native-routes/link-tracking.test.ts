import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { startLinkProvider } from '#test/support/link-provider.ts'
import { startTestWorker } from '#test/support/worker.ts'

const appOrigin = 'https://app.test'
const apiKey = 'links-key-of-the-tests'
const day = '2026-03-02'
const span = 'from=2026-03-01&to=2026-03-03'

describe('share links with a link provider', () => {
  let provider: Awaited<ReturnType<typeof startLinkProvider>>
  // This hook runs first, so the URL is set before the gateway reads its settings.
  const environment = { APP_ORIGIN: appOrigin, LINKS_API_KEY: apiKey, LINKS_API_BASE: '' }
  beforeAll(async () => {
    provider = await startLinkProvider(apiKey)
    environment.LINKS_API_BASE = provider.url
  })
  afterAll(() => provider.close())
  afterEach(() => provider.setMode('healthy'))
  const gateway = startTestGateway({ environment })
  const worker = startTestWorker(gateway)

  const start = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const share = async () => (await account.post(`/v1/tracks/${trackId}/share-links`, {})).body
    return { account, trackId, share }
  }
  const shortLinkOf = ({ id }: { id: string }) =>
    provider.links.filter(({ externalId }) => externalId === `track_link:${id}`)

  const insertLinkEvent = (account: TestAccount, trackId: string, linkId: string) =>
    gateway.database.sql`insert into link_events ${gateway.database.sql({
      provider_event_id: crypto.randomUUID(),
      event_type: 'link.clicked',
      occurred_at: `${day}T12:00:00Z`,
      owner_id: account.accountId,
      link_kind: 'track',
      link_id: linkId,
      track_id: trackId,
      country: 'FR',
      qr: false,
    })}`
  const clicksOf = async (account: TestAccount, path: string) =>
    (await account.get(`/v1/analytics/${path}?${span}`)).body.totals.clicks

  it('are created at the link provider with their id, owner and URL', async () => {
    const { account, share } = await start()
    const link = await share()
    expect(shortLinkOf(link)).toEqual([
      {
        id: expect.any(String),
        externalId: `track_link:${link.id}`,
        tenantId: account.accountId,
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        url: appOrigin + link.sharePath,
      },
    ])
    expect(Object.keys(link)).not.toContain('shortLink')
  })

  it('have unique short-link keys, which API responses do not contain', async () => {
    const { share } = await start()
    const links = [await share(), await share(), await share()]
    const keys = links.map((link) => shortLinkOf(link)[0]!.key)
    expect(new Set(keys).size).toBe(3)
    for (const key of keys) expect(JSON.stringify(links)).not.toContain(key)
  })

  it('have a short link to the new URL after a reset, even if they had none before', async () => {
    const { trackId, account, share } = await start()
    provider.setMode('down')
    const unknown = await share()
    provider.setMode('healthy')
    for (const link of [await share(), unknown]) {
      const reset = await account.post(`/v1/tracks/${trackId}/share-links/${link.id}/reset`)
      expect(reset.status).toBe(200)
      expect(shortLinkOf(link).map(({ url }) => url)).toEqual([appOrigin + reset.body.sharePath])
    }
  })

  it("are reported with the clicks that the provider counted, without adding the webhook's clicks", async () => {
    const { account, trackId, share } = await start()
    const [red, blue] = [await share(), await share()]
    const other = (await start()).share
    for (const [link, at, country] of [
      [red, '2026-03-02T09:10:00.000Z', 'DE'],
      [red, '2026-03-02T23:59:59.000Z', 'DE'],
      [blue, '2026-03-03T00:00:00.000Z', 'Unknown'],
      [blue, '2026-03-04T00:00:00.000Z', 'DE'],
      [await other(), '2026-03-02T09:10:00.000Z', 'DE'],
    ] as const)
      provider.click(`track_link:${link.id}`, at, country)
    await insertLinkEvent(account, trackId, red.id)

    const { body } = await account.get(`/v1/analytics/tracks/${trackId}?${span}`)
    expect(body.totals.clicks).toBe(3)
    expect(body.series.map(({ clicks }: { clicks: number }) => clicks)).toEqual([0, 2, 1])
    expect(body.byCountry).toEqual([
      { country: 'DE', clicks: 2 },
      { country: null, clicks: 1 },
    ])
    expect(
      Object.fromEntries(
        body.byLink.map((link: { linkId: string; clicks: number }) => [link.linkId, link.clicks]),
      ),
    ).toEqual({ [red.id]: 2, [blue.id]: 1 })
    expect(await clicksOf(account, 'overview')).toBe(3)
  })

  it("are reported with a year's clicks, even if the provider lists its links on several pages", async () => {
    const { account, trackId, share } = await start()
    const { id } = await share()
    for (let number = 0; number < 120; number++)
      provider.links.unshift({
        id: `other_${account.accountId}_${number}`,
        externalId: `track_link:other_${number}`,
        key: `other-${number}`,
        tenantId: account.accountId,
        url: appOrigin,
      })
    for (const at of ['2025-03-02T10:00:00.000Z', '2025-10-31T10:00:00.000Z', '2026-03-02T10:00:00.000Z'])
      provider.click(`track_link:${id}`, at, 'DE')
    const { body } = await account.get(`/v1/analytics/tracks/${trackId}?from=2025-03-02&to=2026-03-02`)
    expect(body.totals.clicks).toBe(3)
    expect(body.series.filter(({ clicks }: { clicks: number }) => clicks > 0)).toHaveLength(3)
  })

  it.each(['down', 'failing', 'malformed', 'redirecting'] as const)(
    "are created while the provider is %s, and reported with the webhook's clicks",
    async (mood) => {
      const { account, trackId, share } = await start()
      provider.setMode(mood)
      const link = await share()
      expect(link.token).toEqual(expect.any(String))
      await insertLinkEvent(account, trackId, link.id)
      expect(await clicksOf(account, `tracks/${trackId}`)).toBe(1)
      expect(await clicksOf(account, 'overview')).toBe(1)
      expect(JSON.stringify(gateway.log.lines)).not.toContain(link.token)
      expect(provider.requests.filter((request) => request.endsWith('/elsewhere'))).toEqual([])
    },
  )

  it('are created and reported within 4 s if the provider does not respond', async () => {
    const { account, trackId, share } = await start()
    const link = await share()
    await insertLinkEvent(account, trackId, link.id)
    provider.setMode('stalled')
    const startedAt = performance.now()
    const [shared, clicks] = await Promise.all([share(), clicksOf(account, `tracks/${trackId}`)])
    expect(shared.token).toEqual(expect.any(String))
    expect(clicks).toBe(1)
    expect(performance.now() - startedAt).toBeLessThan(4000)
  })

  it('are also created and reported on Workers', async () => {
    const { trackId, account } = await start()
    const created = await worker.request('POST', `/v1/tracks/${trackId}/share-links`, {
      token: account.token,
      body: {},
    })
    expect(shortLinkOf(created.body)).toMatchObject([{ url: appOrigin + created.body.sharePath }])
    provider.click(`track_link:${created.body.id}`, `${day}T10:00:00.000Z`, 'DE')
    const report = `/v1/analytics/tracks/${trackId}?${span}`
    const { body } = await worker.request('GET', report, { token: account.token })
    expect(body.totals.clicks).toBe(1)
  })

  it("are reported with the webhook's clicks if the provider does not know the link", async () => {
    const { account, trackId, share } = await start()
    provider.setMode('down')
    const link = await share()
    provider.setMode('healthy')
    await insertLinkEvent(account, trackId, link.id)
    expect(await clicksOf(account, `tracks/${trackId}`)).toBe(1)
    expect(await clicksOf(account, 'overview')).toBe(1)
  })
})
