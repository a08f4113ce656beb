import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { expectAccessible } from './expect-accessible.ts'

const clickButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('the billing pages in a browser', { timeout: 60_000 }, () => {
  // Without APP_ORIGIN the hosted pages redirect back to the gateway.
  const gateway = startTestGateway({ billing: true, environment: { APP_ORIGIN: '' } })
  const browser = startTestBrowser()

  const status = async (account: TestAccount) => (await account.get('/v1/billing/status')).body
  const expectStatus = (account: TestAccount) =>
    expect.poll(() => status(account), { timeout: 5000, interval: 20 })
  const returnPath = '/healthz?from=billing'

  const startCheckout = async (account: TestAccount, planId: string) => {
    const { body } = await account.post('/v1/billing/checkout', { planId, returnPath })
    const page = await browser.openPage()
    await page.goto(body.url)
    return page
  }

  const buy = async (account: TestAccount, planId: string) => {
    const page = await startCheckout(account, planId)
    await clickButton(page, 'Pay and subscribe')
    await page.waitForURL(gateway.url + returnPath)
    await expectStatus(account).toMatchObject({ planId, status: 'active' })
  }

  const openPortal = async (account: TestAccount) => {
    const { body } = await account.post('/v1/billing/portal', { returnPath })
    const page = await browser.openPage()
    await page.goto(body.url)
    return page
  }

  it('activate the plan and its entitlements after the payment', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const links = `/v1/tracks/${await insertTrackOf(gateway.database.sql, account.accountId)}/share-links`
    expect(await account.post(links, {})).toMatchObject({
      status: 403,
      body: { code: 'entitlement_required', feature: 'tracks.share', planId: 'free', upgradeRequired: true },
    })
    expect(await status(account)).toMatchObject({ customerConfigured: false, status: 'free' })

    await buy(account, 'pro')
    expect(await status(account)).toMatchObject({ customerConfigured: true, cancelAtPeriodEnd: false })
    expect((await account.post(links, {})).status).toBe(201)
  })

  it('show the plan that change-plan has set, and the status shows every change immediately', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buy(account, 'starter')
    const bought = await status(account)

    await account.post('/v1/billing/cancel')
    expect(await status(account)).toEqual({ ...bought, cancelAtPeriodEnd: true })
    await account.post('/v1/billing/resume')
    expect(await status(account)).toEqual(bought)
    const switched = await account.post('/v1/billing/change-plan', { planId: 'pro', returnPath })
    expect(switched.body).toEqual({ mode: 'switched', planId: 'pro' })
    expect(await status(account)).toEqual({ ...bought, planId: 'pro' })

    // The portal still shows the same subscription, and the provider's events do not change it.
    const page = await openPortal(account)
    const rows = page.getByRole('row')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.last().innerText()).toMatch(/Pro\s+active/)
    await gateway.billing.deliveries.waitUntilIdle()
    expect(await status(account)).toEqual({ ...bought, planId: 'pro' })
  })

  it('apply changes made in the portal to the billing status', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    await buy(account, 'pro')
    const page = await openPortal(account)
    await clickButton(page, 'Cancel at the end of the period')
    await expectStatus(account).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await clickButton(page, 'Keep the subscription')
    await expectStatus(account).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
    await clickButton(page, 'Simulate a failed payment')
    await expectStatus(account).toMatchObject({ status: 'past_due' })
    await clickButton(page, 'Cancel now')
    await expectStatus(account).toMatchObject({ status: 'canceled' })
    await page.getByRole('link', { name: 'Back to the app' }).click()
    await page.waitForURL(gateway.url + returnPath)
  })

  it('charge neither a customer who goes back without paying nor one who opens a completed checkout again', async () => {
    const account = await gateway.signUp({ plan: 'free' })
    const page = await startCheckout(account, 'pro')
    const checkoutUrl = page.url()
    await page.getByRole('link', { name: 'Back without paying' }).click()
    await page.waitForURL(gateway.url + returnPath)
    expect(await status(account)).toMatchObject({ planId: 'free', status: 'free' })

    await page.goto(checkoutUrl)
    await clickButton(page, 'Pay and subscribe')
    await page.waitForURL(gateway.url + returnPath)
    await expectStatus(account).toMatchObject({ status: 'active' })
    await page.goto(checkoutUrl)
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it.each([360, 1280])(
    'are accessible and do not scroll horizontally at a width of %i pixels',
    async (width) => {
      const account = await gateway.signUp({ plan: 'free' })
      const checkout = await startCheckout(account, 'starter')
      await checkout.setViewportSize({ width, height: 800 })
      await expectAccessible(checkout)
      const address = checkout.url()
      await clickButton(checkout, 'Pay and subscribe')
      await checkout.waitForURL(gateway.url + returnPath)
      await checkout.goto(address)
      await expectAccessible(checkout)
      await expectStatus(account).toMatchObject({ planId: 'starter' })

      const portal = await openPortal(account)
      await portal.setViewportSize({ width, height: 800 })
      await expectAccessible(portal)
      await portal.goto(gateway.billing.url)
      await expectAccessible(portal)
    },
  )
})
