import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startLinkProvider } from '#test/support/link-provider.ts'

const appOrigin = 'https://app.test'
const apiKey = 'links-key-of-the-tests'

describe("a share link's short link after a reset", () => {
  let provider: Awaited<ReturnType<typeof startLinkProvider>>
  // The hook below runs first, so the URL is set before the gateway reads its settings.
  const environment = { APP_ORIGIN: appOrigin, LINKS_API_KEY: apiKey, LINKS_API_BASE: '' }
  beforeAll(async () => {
    provider = await startLinkProvider(apiKey)
    environment.LINKS_API_BASE = provider.url
  })
  afterAll(() => provider.close())
  afterEach(() => provider.setMode('healthy'))
  const gateway = startTestGateway({ environment })

  const start = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const path = `/v1/tracks/${trackId}/share-links`
    const share = async () => (await account.post(path, {})).body
    const reset = async ({ id }: { id: string }) => (await account.post(`${path}/${id}/reset`)).body
    return { share, reset }
  }
  const keyOf = ({ id }: { id: string }) =>
    provider.links.find(({ externalId }) => externalId === `track_link:${id}`)!.key

  /** Opens the short link with this key, as a visitor would. Returns the page's status, or null if there is none. */
  const visit = async (key: string) => {
    const url = provider.follow(key)
    if (url === null) return null
    const token = url.slice(`${appOrigin}/share/tracks/`.length)
    return (await gateway.request('GET', `/v1/public/track-links/${token}`)).status
  }

  it('has a new key, and its previous key opens nothing', async () => {
    const { share, reset } = await start()
    const link = await share()
    const previous = keyOf(link)
    expect(await visit(previous)).toBe(200)
    await reset(link)
    expect(keyOf(link)).toMatch(/^[0-9a-f]{32}$/)
    expect([await visit(previous), await visit(keyOf(link))]).toEqual([null, 200])
  })

  it('has a new key even if the provider had chosen the previous one', async () => {
    const { share, reset } = await start()
    const link = await share()
    provider.links.find(({ key }) => key === keyOf(link))!.key = 'abc1234'
    expect(await visit('abc1234')).toBe(200)
    await reset(link)
    expect([await visit('abc1234'), await visit(keyOf(link))]).toEqual([null, 200])
  })

  it.each(['down', 'failing', 'malformed', 'redirecting'] as const)(
    'opens nothing after a reset while the provider is %s, until the next reset',
    async (mode) => {
      const { share, reset } = await start()
      const link = await share()
      const previous = keyOf(link)
      provider.setMode(mode)
      const { token } = await reset(link)
      expect((await gateway.request('GET', `/v1/public/track-links/${token}`)).status).toBe(200)
      expect(await visit(previous)).toBe(404)
      const fields = expect.objectContaining({ link: `track_link:${link.id}` })
      const warned = { level: 'warn', message: 'failed to sync short link', fields }
      expect(gateway.log.lines).toContainEqual(warned)

      provider.setMode('healthy')
      await reset(link)
      expect([await visit(previous), await visit(keyOf(link))]).toEqual([null, 200])
    },
  )

  it('has its new key even if the provider applies the reset but does not respond', async () => {
    const { share, reset } = await start()
    const link = await share()
    const previous = keyOf(link)
    provider.setMode('stalled')
    await reset(link)
    expect([await visit(previous), await visit(keyOf(link))]).toEqual([null, 200])
  })

  it('opens nothing under an earlier key, even after concurrent resets', async () => {
    const { share, reset } = await start()
    const link = await share()
    const previous = keyOf(link)
    await Promise.all(Array.from({ length: 5 }, () => reset(link)))
    expect(await visit(previous)).toBeNull()
    // If the requests reach the provider in a different order from the commits, the short link opens nothing.
    expect([200, 404]).toContain(await visit(keyOf(link)))
    await reset(link)
    expect(await visit(keyOf(link))).toBe(200)
  })

  it('has keys that are never logged', async () => {
    const { share, reset } = await start()
    const link = await share()
    const keys = [keyOf(link)]
    await reset(link)
    keys.push(keyOf(link))
    for (const key of keys) expect(JSON.stringify(gateway.log.lines)).not.toContain(key)
  })
})
