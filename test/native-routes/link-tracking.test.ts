import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { startLinkProvider } from '#test/support/link-provider.ts'
import { startTestWorker } from '#test/support/worker.ts'

const appOrigin = 'https://app.test'
const apiKey = 'links-key-of-the-tests'
const day = '2026-03-02'
const span = 'from=2026-03-01&to=2026-03-03'

describe('share links that a provider counts the clicks of', () => {
  let provider: Awaited<ReturnType<typeof startLinkProvider>>
  // Filled in before the gateway reads its settings, for this hook is the first.
  const environment = { APP_ORIGIN: appOrigin, LINKS_API_KEY: apiKey, LINKS_API_BASE: '' }
  beforeAll(async () => {
    provider = await startLinkProvider(apiKey)
    environment.LINKS_API_BASE = provider.url
  })
  afterAll(() => provider.close())
  afterEach(() => provider.be('well'))
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

  const tellByWebhook = (account: TestAccount, trackId: string, linkId: string) =>
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

  it('are made known by our id, the owner and the page they lead to', async () => {
    const { account, share } = await start()
    const link = await share()
    expect(shortLinkOf(link)).toEqual([
      {
        id: expect.any(String),
        externalId: `track_link:${link.id}`,
        tenantId: account.accountId,
        url: appOrigin + link.sharePath,
      },
    ])
    expect(Object.keys(link)).not.toContain('shortLink')
  })

  it('lead to the new page once their token is replaced, also where the provider did not know them', async () => {
    const { account, trackId, share } = await start()
    provider.be('down')
    const unknown = await share()
    provider.be('well')
    for (const link of [await share(), unknown]) {
      const reset = await account.post(`/v1/tracks/${trackId}/share-links/${link.id}/reset`)
      expect(reset.status).toBe(200)
      expect(shortLinkOf(link).map(({ url }) => url)).toEqual([appOrigin + reset.body.sharePath])
    }
  })

  it('are reported with the clicks that the provider has counted, and with no others', async () => {
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
    await tellByWebhook(account, trackId, red.id)

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

  it('are counted through a year, page by page', async () => {
    const { account, trackId, share } = await start()
    const { id } = await share()
    for (let number = 0; number < 120; number++)
      provider.links.unshift({
        id: `other_${account.accountId}_${number}`,
        externalId: `track_link:other_${number}`,
        tenantId: account.accountId,
        url: appOrigin,
      })
    for (const at of ['2025-03-02T10:00:00.000Z', '2025-10-31T10:00:00.000Z', '2026-03-02T10:00:00.000Z'])
      provider.click(`track_link:${id}`, at, 'DE')
    const { body } = await account.get(`/v1/analytics/tracks/${trackId}?from=2025-03-02&to=2026-03-02`)
    expect(body.totals.clicks).toBe(3)
    expect(body.series.filter(({ clicks }: { clicks: number }) => clicks > 0)).toHaveLength(3)
  })

  it.each(['down', 'refusing', 'babbling', 'elsewhere'] as const)(
    'work while the provider is %s, and are reported as its webhook told',
    async (mood) => {
      const { account, trackId, share } = await start()
      provider.be(mood)
      const link = await share()
      expect(link.token).toEqual(expect.any(String))
      await tellByWebhook(account, trackId, link.id)
      expect(await clicksOf(account, `tracks/${trackId}`)).toBe(1)
      expect(await clicksOf(account, 'overview')).toBe(1)
      expect(JSON.stringify(gateway.log.lines)).not.toContain(link.token)
      expect(provider.requests.filter((request) => request.endsWith('/elsewhere'))).toEqual([])
    },
  )

  it('wait for a provider that says nothing for two seconds and no longer', async () => {
    const { account, trackId, share } = await start()
    const link = await share()
    await tellByWebhook(account, trackId, link.id)
    provider.be('silent')
    const begun = performance.now()
    const [shared, clicks] = await Promise.all([share(), clicksOf(account, `tracks/${trackId}`)])
    expect(shared.token).toEqual(expect.any(String))
    expect(clicks).toBe(1)
    expect(performance.now() - begun).toBeLessThan(4000)
  })

  it('are made known and reported on Workers as well', async () => {
    const { trackId, account } = await start()
    const made = await worker.request('POST', `/v1/tracks/${trackId}/share-links`, {
      token: account.token,
      body: {},
    })
    expect(shortLinkOf(made.body)).toMatchObject([{ url: appOrigin + made.body.sharePath }])
    provider.click(`track_link:${made.body.id}`, `${day}T10:00:00.000Z`, 'DE')
    const report = `/v1/analytics/tracks/${trackId}?${span}`
    const { body } = await worker.request('GET', report, { token: account.token })
    expect(body.totals.clicks).toBe(1)
  })

  it('that the provider has never heard of are reported as its webhook told', async () => {
    const { account, trackId, share } = await start()
    provider.be('down')
    const link = await share()
    provider.be('well')
    await tellByWebhook(account, trackId, link.id)
    expect(await clicksOf(account, `tracks/${trackId}`)).toBe(1)
  })
})
