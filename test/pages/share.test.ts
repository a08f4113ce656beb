import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWebApp } from '#dev/sandbox/web-app/start-web-app.ts'
import { startTestBrowser } from '#test/support/browser.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { insertPackLink } from '#test/support/share-fixtures.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'
import { expectAccessible } from './expect-accessible.ts'

describe('a share page of the web app', { timeout: 120_000 }, () => {
  let app: Awaited<ReturnType<typeof startWebApp>>
  const environment = { APP_ORIGIN: '', RATE_LIMIT_ACCESS_CODES: '2/600' }
  beforeAll(async () => {
    app = await startWebApp({})
    environment.APP_ORIGIN = app.url
  })
  const gateway = startTestGateway({ storage: true, environment })
  startTestJobs(gateway)
  const browser = startTestBrowser()
  afterAll(() => app.close())

  const file = createFile({ bytes: wav({ seconds: 2 }) })

  const shareTrack = async () => {
    const owner = await gateway.signUp({ plan: 'pro' })
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId, 'Night Drive')
    await uploadFile(owner, trackId, file)
    await waitForProcessing(owner, trackId)
    return { owner, trackId }
  }
  let uploaded: ReturnType<typeof shareTrack> | undefined
  const sharePack = async (link: Parameters<typeof insertPackLink>[2] = {}) => {
    uploaded ??= shareTrack()
    const { owner, trackId } = await uploaded
    const { sql } = gateway.database
    const packId = crypto.randomUUID()
    await sql`insert into packs (id, owner_id, name) values (${packId}, ${owner.accountId}, 'Harbour EP')`
    await sql`insert into pack_tracks (pack_id, track_id, position) values (${packId}, ${trackId}, 0)`
    const { id, slug } = await insertPackLink(sql, packId, link)
    return { owner, trackId, linkId: id, path: `/share/packs/${slug}` }
  }

  const connect = () =>
    app.setAddresses({ api: gateway.url, store: gateway.environment.STORAGE_ENDPOINT ?? '' })
  const waitUntilLoaded = (page: Page) => page.locator('main:not([aria-busy])').waitFor()
  const open = async (path: string, width = 1280) => {
    connect()
    const page = await browser.openPage()
    await page.setViewportSize({ width, height: 800 })
    await page.goto(app.url + path)
    await waitUntilLoaded(page)
    return page
  }
  const waitForPlayback = (page: Page) =>
    page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0)
  const readTotals = async (owner: Awaited<ReturnType<typeof shareTrack>>['owner'], trackId: string) =>
    (await owner.get(`/v1/analytics/tracks/${trackId}`)).body.totals
  const enterCode = async (page: Page, code: string) => {
    await page.getByLabel('Access code').fill(code)
    await page.getByRole('button', { name: 'Open' }).click()
    await waitUntilLoaded(page)
  }

  it('plays a shared track, and the owner sees one play and one visitor', async () => {
    const { owner, trackId } = await shareTrack()
    const { body: link } = await owner.post(`/v1/tracks/${trackId}/share-links`, {})
    const page = await open(link.sharePath)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Night Drive')
    await page.getByRole('button', { name: 'Play Night Drive' }).click()
    await waitForPlayback(page)
    await expect
      .poll(() => readTotals(owner, trackId), { timeout: 10_000 })
      .toMatchObject({ plays: 1, uniqueVisitors: 1 })

    // The player reports the end, and then a second play of the same address.
    await page.waitForFunction(() => document.querySelector('audio')?.ended)
    await page.getByRole('button', { name: 'Play Night Drive' }).click()
    await expect.poll(() => readTotals(owner, trackId), { timeout: 10_000 }).toMatchObject({ plays: 2 })
    expect(JSON.stringify(gateway.log.lines)).not.toContain(link.token)
  })

  it("asks for a pack's access code, reports a wrong code, and plays with the right code", async () => {
    const { path } = await sharePack({ accessCode: 'lighthouse' })
    const page = await open(path)
    await enterCode(page, 'wrong')
    await page.getByText('This access code is wrong.').waitFor()
    await enterCode(page, 'lighthouse')
    await page.getByRole('heading', { name: 'Harbour EP' }).waitFor()
    await page.getByRole('button', { name: 'Play Night Drive' }).click()
    await waitForPlayback(page)
  })

  it('says that there were too many attempts', async () => {
    const { path } = await sharePack({ accessCode: 'lighthouse' })
    const page = await open(path)
    for (const code of ['wrong', 'false']) {
      await enterCode(page, code)
      await page.getByText('This access code is wrong.').waitFor()
    }
    await enterCode(page, 'other')
    await page.getByRole('heading', { name: 'Too many attempts' }).waitFor()
    expect(await page.locator('main').innerText()).toMatch(/Try again in \d+ (seconds|minutes)\./)
  })

  it.each([
    ['an expired link', () => sharePack({ expiresAt: new Date(Date.now() - 1000) })],
    ['a revoked link', () => sharePack({ revokedAt: new Date() })],
    ['an unknown link', async () => ({ path: '/share/tracks/unknown' })],
  ])('says that %s is not available', async (_, share) => {
    const page = await open((await share()).path)
    await page.getByRole('heading', { name: 'This link is not available' }).waitFor()
  })

  it('says that a link is gone if it is revoked while its page is open', async () => {
    const { path, linkId } = await sharePack()
    const page = await open(path)
    await gateway.database.sql`update pack_links set revoked_at = now() where id = ${linkId}`
    await page.getByRole('button', { name: 'Play Night Drive' }).click()
    await page.getByText('This link is no longer available.').waitFor()
  })

  it('has a strict CSP, sends no referrer, is not indexed, and does not contain its token', async () => {
    connect()
    const response = await fetch(`${app.url}/share/tracks/a-token`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`connect-src ${gateway.url};`)
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect(await response.text()).not.toContain('a-token')
  })

  it.each([360, 1280])(
    'is accessible in light and dark mode, without horizontal scrolling, at %i pixels',
    async (width) => {
      const { path } = await sharePack({ accessCode: 'lighthouse', name: 'For the press' })
      const page = await open(path, width)
      await expectAccessible(page)
      await enterCode(page, 'lighthouse')
      await page.getByRole('button', { name: 'Play Night Drive' }).click()
      await waitForPlayback(page)
      await expectAccessible(page)
      await page.route(`${gateway.url}/**`, () => undefined)
      await page.goto(app.url + path)
      await page.locator('main[aria-busy]').waitFor()
      await expectAccessible(page)
      await page.unrouteAll()
      for (const other of ['/', '/billing', '/share/invitations/i1', '/share/tracks/unknown', '/nowhere']) {
        await page.goto(app.url + other)
        await page.locator('main:not([aria-busy])').waitFor()
        await expectAccessible(page)
      }
    },
  )
})
